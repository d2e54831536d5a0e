import { invalid } from "../dynamodb-error.ts"
import { readTokens, syntaxError, type Token } from "./read-tokens.ts"
import { isReservedWord } from "./reserved-words.ts"

/** `attribute` is a bare name or a placeholder (`#name`), `value` a placeholder (`:value`). */
export type Operand = { readonly attribute: string } | { readonly value: string }

const WORD = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Reads an expression from left to right. All methods throw DynamoDbError ValidationException. */
export class TokenReader {
  readonly #tokens: readonly Token[]
  #next = 0

  constructor(expression: string) {
    this.#tokens = readTokens(expression)
  }

  /** Returns the token `ahead` of the next one. */
  peek(ahead = 0): Token | undefined {
    return this.#tokens[this.#next + ahead]
  }

  /** Consumes the next token if it is this one. Words match in any case. */
  take(token: Token): boolean {
    if (this.peek()?.toUpperCase() !== token.toUpperCase()) return false
    this.#next++
    return true
  }

  expect(token: Token): void {
    if (!this.take(token)) throw syntaxError()
  }

  expectEnd(): void {
    if (this.peek() !== undefined) throw syntaxError()
  }

  /** True when a function call follows. Function names are in lower case. */
  takeCall(name: string): boolean {
    if (this.peek() !== name || this.peek(1) !== "(") return false
    this.#next += 2
    return true
  }

  operand(): Operand {
    return this.peek()?.startsWith(":") ? { value: this.value() } : { attribute: this.attribute() }
  }

  attribute(): string {
    const name = this.#tokens[this.#next++] ?? ""
    if (this.peek() === "(")
      throw invalid("Invalid function name, or one that the embedded DynamoDB does not offer.")
    if (name.startsWith("#") && name.length > 1) return name
    if (!WORD.test(name)) throw syntaxError()
    if (isReservedWord(name)) throw invalid("Attribute name is a reserved keyword.")
    return name
  }

  value(): string {
    const name = this.#tokens[this.#next++] ?? ""
    if (!name.startsWith(":") || name.length === 1) throw syntaxError()
    return name
  }

  /** Returns the placeholders of the whole expression. */
  placeholders(): ReadonlySet<string> {
    return new Set(this.#tokens.filter((token) => token.startsWith("#") || token.startsWith(":")))
  }
}

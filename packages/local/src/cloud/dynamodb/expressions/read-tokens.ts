import { invalid, notOffered } from "../dynamodb-error.ts"

/** A word, a placeholder (`#name`, `:value`), an operator or a bracket. */
export type Token = string

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-expression-parameters */
const MAX_EXPRESSION_BYTES = 4096

const TOKEN = /[ \t\r\n]*(?:([#:]?[A-Za-z0-9_]+|<=|>=|<>|[=<>(),+-])|([.[\]])|(\S))/y

/** Splits an expression into tokens. @throws DynamoDbError ValidationException */
export function readTokens(expression: string): readonly Token[] {
  const text = expression.replace(/[ \t\r\n]+$/, "")
  if (text === "") throw invalid("The expression can not be empty.")
  if (Buffer.byteLength(expression) > MAX_EXPRESSION_BYTES)
    throw invalid("Expression size has exceeded the maximum allowed size.")
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const [, token, path] = TOKEN.exec(text) ?? []
    if (path !== undefined) throw notOffered("paths into lists and maps in expressions")
    if (token === undefined) throw syntaxError()
    tokens.push(token)
  }
  refuseRedundantParentheses(tokens)
  return tokens
}

/** DynamoDB refuses a pair of brackets directly inside another one: `((a = :b))`. */
function refuseRedundantParentheses(tokens: readonly Token[]): void {
  const open: number[] = []
  const previous = { opened: -1, closed: -1 }
  for (const [index, token] of tokens.entries()) {
    if (token === "(") open.push(index)
    if (token !== ")") continue
    const opened = open.pop()
    if (opened === undefined) throw syntaxError()
    if (previous.opened === opened + 1 && previous.closed === index - 1) {
      throw invalid("The expression has redundant parentheses.")
    }
    previous.opened = opened
    previous.closed = index
  }
}

export function syntaxError() {
  return invalid("Syntax error in the expression.")
}

import { MAX_SEALED_VALUES, Pace, type Work, waitFor } from "@sealway/kernel"
import {
  InvalidTokenError,
  type OpenedValue,
  type ParsedToken,
  parseToken,
  parseTokenInSteps,
  type ValueType,
} from "@sealway/tokens"
import type { BodyMemory } from "../body/body-memory.ts"
import { UnreadableBodyError } from "../body/located-body.ts"
import type { CompiledSubject, Operation } from "../operations/compile-operations.ts"
import type { Seal, ValueCipher } from "./message-cipher.ts"
import type { MessageReport } from "./message-report.ts"
import type { MessageSubjects } from "./message-subjects.ts"

/** Writes other values into one part of a message: its headers, its query or its body. */
export interface ValueWriter {
  /**
   * @param index of the value in that part, see `SelectedValue`
   * @returns what is left to do where the value is large; null when it is done
   */
  write(index: number, type: ValueType, text: Buffer): Work<void> | null
}

/** A value that operations are for. */
export interface SelectedValue {
  readonly type: ValueType
  /** UTF-8, or the literal of a number or boolean. */
  readonly text: Buffer
  /** In order; at least one. */
  readonly operations: readonly Operation[]
  /** Takes what the value becomes. */
  readonly writer: ValueWriter
  /** By which the writer knows the value. */
  readonly index: number
}

/**
 * The memory that a value, its token and everything between them take while a message is changed. Measured: 382 bytes for
 * each of 250,000 values of one character in JSON, 430 in XML, 530 for each of 180,000 values of 40 characters. The text
 * counts as its token and once more in the changed body, each a third longer.
 */
const BYTES_PER_CHANGE = 450
const BYTES_PER_CHARACTER = 3
const VALUES_PER_STEP = 32

/**
 * What becomes of a value. A body has up to 250,000, and all of them live until the last is decided on: one small object
 * each, because the garbage collector copies every one that lives, and everybody waits for it.
 */
interface Change {
  readonly writer: ValueWriter
  readonly index: number
  readonly type: ValueType
  /** What is sealed; null for a token, which is opened first. */
  readonly text: Buffer | null
  /** The operation that seals; null where the value is only opened. */
  readonly sealing: Operation | null
}

/** What operations do with a value: each works on what the one before it has left. */
interface Outcome {
  readonly opens: boolean
  readonly sealing: Operation | null
}

export interface ValueChangesOptions {
  readonly encryptEmptyStrings: boolean
  readonly subjects: MessageSubjects
  readonly report: MessageReport
  /** Default: no accounting. */
  readonly memory?: BodyMemory | undefined
}

/**
 * The values of a message that operations are for, and what becomes of them: `encrypt` seals what is not a token, and
 * `decrypt` opens what is.
 */
export class ValueChanges {
  readonly #options: ValueChangesOptions
  readonly #changes: Change[] = []
  /** Of the changes without a text, in their order. */
  #tokens: ParsedToken[] = []
  /** The indexes of those whose values are sealed again: a mask must not be sealed as if it were the value. */
  readonly #resealed = new Set<number>()
  #lastToken: ParsedToken | null = null
  /** Of values that would be sealed and opened again: they stay as they are, if that is permitted. */
  readonly #otherRoles: string[] = []
  readonly #sealedRoles = new Set<string>()
  /** Null stands for the values that belong to no data subject. */
  readonly #sealedSubjects = new Set<CompiledSubject | null>()
  #seals = 0

  constructor(options: ValueChangesOptions) {
    this.#options = options
  }

  /**
   * @throws InvalidTokenError when a token to be opened is malformed
   * @throws RelayError `service-unavailable` when there is no memory for it
   */
  add(value: SelectedValue): void {
    this.#add(value, mayBeToken(value) ? this.#parse(value) : null)
  }

  /** Does the same as `add` in steps, for a large value. */
  *addInSteps(value: SelectedValue): Work<void> {
    this.#add(value, mayBeToken(value) ? yield* this.#parseInSteps(value) : null)
  }

  /** Opens, then seals, then writes: nothing is written when one value is refused. */
  *apply(cipher: ValueCipher): Work<void> {
    if (this.#changes.length === 0 && this.#otherRoles.length === 0) return
    const opened = yield* this.#open(cipher)
    const seals = yield* this.#sealers(cipher)
    const pace = new Pace(VALUES_PER_STEP)
    let nextOpened = 0
    for (const change of this.#changes) {
      const value = change.text === null ? opened[nextOpened++] : undefined
      const text = value?.value ?? change.text
      if (text === null) throw new TypeError("The cipher has opened fewer values than it was given")
      if (pace.isDue(text.length)) yield
      const rest = writeChange(change, value?.type ?? change.type, text, seals)
      if (rest !== null) yield* rest
    }
  }

  *#open(cipher: ValueCipher): Work<readonly OpenedValue[]> {
    if (this.#tokens.length === 0 && this.#otherRoles.length === 0) return []
    const tokens = this.#tokens
    this.#tokens = []
    return yield* waitFor(cipher.open(tokens, this.#otherRoles, (index) => !this.#resealed.has(index)))
  }

  /** Returns what seals the values of each data subject. */
  *#sealers(cipher: ValueCipher): Work<ReadonlyMap<CompiledSubject | null, Seal>> {
    if (this.#seals > 0) cipher.count(this.#seals)
    const seals = new Map<CompiledSubject | null, Seal>()
    for (const subject of this.#sealedSubjects) {
      const id = subject === null ? null : this.#options.subjects.idOf(subject)
      seals.set(subject, yield* waitFor(cipher.sealer(this.#seals, [...this.#sealedRoles], id)))
    }
    return seals
  }

  #add(value: SelectedValue, token: ParsedToken | "malformed" | null): void {
    const { opens, sealing } = this.#outcomeOf(value, token !== null)
    if (!opens && sealing === null) return
    if (opens && token === "malformed") throw new InvalidTokenError()
    if (sealing !== null) this.#countSeal(sealing)
    this.#options.memory?.take(BYTES_PER_CHANGE + BYTES_PER_CHARACTER * value.text.length)
    const { writer, index, type } = value
    if (opens && token !== null && token !== "malformed") {
      this.#lastToken = token
      if (sealing !== null) this.#resealed.add(this.#tokens.length)
      this.#tokens.push(token)
      this.#changes.push({ writer, index, type, text: null, sealing })
    } else this.#changes.push({ writer, index, type, text: value.text, sealing })
  }

  #outcomeOf({ text, operations }: SelectedValue, isToken: boolean): Outcome {
    const { encryptEmptyStrings, report } = this.#options
    let opens = false
    let sealing: Operation | null = null
    for (const operation of operations) {
      report.countMatched(operation)
      const isTokenNow = sealing !== null || (isToken && !opens)
      if (operation.action === "encrypt") {
        if (isTokenNow || (text.length === 0 && !encryptEmptyStrings)) continue
        sealing = operation
      } else {
        if (!isTokenNow) continue
        if (sealing === null) opens = true
        else if (sealing.selection.role !== null) this.#otherRoles.push(sealing.selection.role)
        sealing = null
      }
      report.countChanged(operation)
    }
    return { opens, sealing }
  }

  #countSeal({ selection: { role }, subject }: Operation): void {
    if (++this.#seals > MAX_SEALED_VALUES) {
      throw new UnreadableBodyError("too-large", "The body has too many values to encrypt.")
    }
    if (role !== null) this.#sealedRoles.add(role)
    this.#sealedSubjects.add(subject)
  }

  #parse({ text, operations }: SelectedValue): ParsedToken | "malformed" | null {
    try {
      return parseToken(text.toString(), this.#lastToken)
    } catch (error) {
      return malformedUnlessEncrypted(operations, error)
    }
  }

  *#parseInSteps({ text, operations }: SelectedValue): Work<ParsedToken | "malformed" | null> {
    try {
      return yield* parseTokenInSteps(text, this.#lastToken)
    } catch (error) {
      return malformedUnlessEncrypted(operations, error)
    }
  }
}

/** Tells most data from tokens at a glance. No number or boolean begins like one. */
function mayBeToken({ text }: SelectedValue): boolean {
  return text[0] === 0x65 && text[1] === 0x76 && text[2] === 0x3a
}

/**
 * What looks like a token and is damaged: where something is to be encrypted it is data, for it may be plaintext in
 * disguise.
 */
function malformedUnlessEncrypted(operations: readonly Operation[], error: unknown): "malformed" | null {
  if (!(error instanceof InvalidTokenError)) throw error
  return operations.some(({ action }) => action === "encrypt") ? null : "malformed"
}

function writeChange(
  { writer, index, sealing }: Change,
  type: ValueType,
  text: Buffer,
  seals: ReadonlyMap<CompiledSubject | null, Seal>,
): Work<void> | null {
  if (sealing === null) return writer.write(index, type, text)
  const seal = seals.get(sealing.subject)
  if (seal === undefined) throw new TypeError("Nothing seals for this data subject")
  const token = seal(type, text, sealing.selection.role)
  return typeof token === "string"
    ? writer.write(index, "string", Buffer.from(token, "latin1"))
    : writeInSteps(writer, index, token)
}

function* writeInSteps(writer: ValueWriter, index: number, token: Work<Buffer>): Work<void> {
  const rest = writer.write(index, "string", yield* token)
  if (rest !== null) yield* rest
}

import { MAX_SEALED_VALUES, type MaybePromise, Pace, type Turns, type Work, waitFor } from "@sealway/kernel"
import {
  InvalidTokenError,
  type OpenedValue,
  type ParsedToken,
  parseToken,
  parseTokenInSteps,
  type ValueType,
} from "@sealway/tokens"
import { UnreadableBodyError } from "../body/located-body.ts"
import type { Operation } from "../operations/compile-operations.ts"
import type { BodyMemory } from "./message.ts"
import type { Seal, ValueCipher } from "./message-cipher.ts"
import type { MessageReport } from "./message-report.ts"

/** A value that operations are for. */
export interface Place {
  readonly type: ValueType
  /** UTF-8, or the literal of a number or boolean. */
  readonly text: Buffer
  /** In order; one at least. */
  readonly operations: readonly Operation[]
  /** Puts another value in its place. @returns what is left to do where the value is large; null when it is done */
  write(type: ValueType, text: Buffer): Work<void> | null
}

/** What a value, its token and all that leads from the one to the other take while a message is changed. Measured. */
const BYTES_PER_CHANGE = 1_000
const VALUES_PER_STEP = 32

/** What becomes of a value. */
interface Change {
  readonly place: Place
  /** To be opened first; null for a value that is none. */
  readonly token: ParsedToken | null
  /** To be sealed, then. The role is null for none. */
  readonly sealing: { readonly role: string | null } | null
}

export interface ValueChangesOptions {
  readonly encryptEmptyStrings: boolean
  readonly report: MessageReport
  /** Default: nobody counts. */
  readonly memory?: BodyMemory | undefined
  readonly turns: Turns
}

/**
 * The values of a message that operations are for, and what becomes of them: `encrypt` is for what is no token, and
 * `decrypt` for what is, each as the operations before it have left the value.
 */
export class ValueChanges {
  readonly #options: ValueChangesOptions
  readonly #changes: Change[] = []
  /** Of values that would be sealed and opened again: they stay as they are, if that is permitted. */
  readonly #otherRoles: string[] = []
  /** The last of those that are to be opened. */
  #previous: ParsedToken | null = null
  readonly #tokens: ParsedToken[] = []
  readonly #sealedRoles = new Set<string>()
  #seals = 0

  constructor(options: ValueChangesOptions) {
    this.#options = options
  }

  get isEmpty(): boolean {
    return this.#changes.length === 0 && this.#otherRoles.length === 0
  }

  /**
   * @throws InvalidTokenError when a token that is to be opened is malformed
   * @throws RelayError `service-unavailable` when there is no memory for it
   */
  add(place: Place): void {
    this.#add(place, this.#parse(place))
  }

  /** `add` for a large value, in steps. */
  *addInSteps(place: Place): Work<void> {
    this.#add(place, yield* this.#parseInSteps(place))
  }

  #add(place: Place, sealed: ParsedToken | "malformed" | null): void {
    const { encryptEmptyStrings, report, memory } = this.#options
    let opens = false
    let sealing: Change["sealing"] = null
    for (const operation of place.operations) {
      report.countMatched(operation)
      const isTokenNow = sealing !== null || (sealed !== null && !opens)
      if (operation.action === "encrypt") {
        if (isTokenNow || (place.text.length === 0 && !encryptEmptyStrings)) continue
        sealing = { role: operation.selection.role }
      } else {
        if (!isTokenNow) continue
        if (sealing === null) opens = true
        else if (sealing.role !== null) this.#otherRoles.push(sealing.role)
        sealing = null
      }
      report.countChanged(operation)
    }
    if (!opens && sealing === null) return
    if (opens && sealed === "malformed") throw new InvalidTokenError()
    const token = opens && sealed !== "malformed" ? sealed : null
    if (token !== null) {
      this.#previous = token
      this.#tokens.push(token)
    }
    if (sealing !== null && ++this.#seals > MAX_SEALED_VALUES) {
      throw new UnreadableBodyError("too-large", "The body has too many values that are to be encrypted.")
    }
    if (sealing?.role) this.#sealedRoles.add(sealing.role)
    memory?.take(BYTES_PER_CHANGE)
    this.#changes.push({ place, token, sealing })
  }

  /** Opens, then seals, then writes: nothing is written when one value is refused. */
  apply(cipher: ValueCipher): MaybePromise<void> {
    if (!this.isEmpty) return this.#options.turns.run(this.applyInSteps(cipher))
  }

  /** `apply`, in steps. */
  *applyInSteps(cipher: ValueCipher): Work<void> {
    if (this.isEmpty) return
    const opens = this.#tokens.length > 0 || this.#otherRoles.length > 0
    const opened = opens ? yield* waitFor(cipher.open(this.#tokens, this.#otherRoles)) : []
    const sealer = this.#seals === 0 ? null : cipher.sealer(this.#seals, [...this.#sealedRoles])
    const seal = sealer instanceof Promise ? yield* waitFor(sealer) : sealer
    const pace = new Pace(VALUES_PER_STEP)
    let nextOpened = 0
    for (const change of this.#changes) {
      if (pace.isDue(change.place.text.length)) yield
      const value = change.token === null ? null : (opened[nextOpened++] ?? null)
      const rest = writeChange(change, value, seal)
      if (rest !== null) yield* rest
    }
  }

  /**
   * The token that a value is; null for none. Where something is to be encrypted, only a whole token is taken for one: what
   * has no more than a token's looks may be plaintext in disguise.
   */
  #parse({ type, text, operations }: Place): ParsedToken | "malformed" | null {
    if (type !== "string" || !beginsLikeToken(text)) return null
    try {
      return parseToken(text.toString(), this.#previous)
    } catch (error) {
      return malformedUnlessEncrypted(operations, error)
    }
  }

  *#parseInSteps({ type, text, operations }: Place): Work<ParsedToken | "malformed" | null> {
    if (type !== "string" || !beginsLikeToken(text)) return null
    try {
      return yield* parseTokenInSteps(text, this.#previous)
    } catch (error) {
      return malformedUnlessEncrypted(operations, error)
    }
  }
}

function malformedUnlessEncrypted(operations: readonly Operation[], error: unknown): "malformed" | null {
  if (!(error instanceof InvalidTokenError)) throw error
  return operations.some(({ action }) => action === "encrypt") ? null : "malformed"
}

function writeChange(
  { place, sealing }: Change,
  opened: OpenedValue | null,
  seal: Seal | null,
): Work<void> | null {
  const type = opened?.type ?? place.type
  const text = opened?.value ?? place.text
  if (sealing === null || seal === null) return place.write(type, text)
  const token = seal(type, text, sealing.role)
  return typeof token === "string"
    ? place.write("string", Buffer.from(token, "latin1"))
    : writeInSteps(place, token)
}

function* writeInSteps(place: Place, token: Work<Buffer>): Work<void> {
  const rest = place.write("string", yield* token)
  if (rest !== null) yield* rest
}

function beginsLikeToken(text: Buffer): boolean {
  return text[0] === 0x65 && text[1] === 0x76 && text[2] === 0x3a
}

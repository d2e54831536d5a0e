import { finish, SealwayError, type Work } from "@sealway/kernel"
import type { ValueType } from "@sealway/tokens"

/** A value of a body, and where its bytes stand. */
export interface LocatedValue {
  /** The bytes `[start, end)` are what another value would replace: a whole JSON literal, quotes included; the content of an XML element or attribute; a form field's value. */
  readonly start: number
  readonly end: number
  /** `number` and `boolean` in JSON only; everything else is text. */
  readonly type: ValueType
  /** The selectors that select it: indices into the list that the body was located with, ascending. */
  readonly selectors: readonly number[]
}

/**
 * A body of some format as the engine sees it: values, and the bytes between them, which nobody touches. A selector
 * that selects a container selects all values in it; `null` and empty containers are no values.
 */
export interface LocatedBody {
  /** In order of their place; none overlap, and each place occurs once. */
  readonly selected: readonly LocatedValue[]
  /** The others, in order. Made while they are iterated over. */
  unselected(): Iterable<LocatedValue>
  /**
   * What a value says: UTF-8, escapes undone; a number or boolean as its literal, digit for digit. In steps, where it is
   * large.
   *
   * @throws UnreadableBodyError when it is not text: a lone surrogate
   */
  text(value: LocatedValue): Buffer | Work<Buffer>
  /** The same, as far as a lenient reader can tell: to be looked into, and never to be written. Need not be UTF-8. */
  looseText(value: LocatedValue): Buffer | Work<Buffer>
  /** Where a value stands, for people: a normalized JSONPath, a field's name. Holds no value. */
  path(value: LocatedValue): string
  /** The bytes, as UTF-8 text, that say another value in the place of this one. In steps and pieces, where it is large. */
  write(value: LocatedValue, type: ValueType, text: Buffer): string | Work<readonly string[]>
}

/** A value of more bytes than this is read in steps. */
export const LARGE_TEXT_BYTES = 131_072

/** A text whose bytes are few is read at once. */
export function atOnceUnlessLarge(text: Work<Buffer>, bytes: number): Buffer | Work<Buffer> {
  return bytes > LARGE_TEXT_BYTES ? text : finish(text)
}

/** A text, all at once: for callers that nothing else waits for. */
export function readAtOnce(text: Buffer | Work<Buffer>): Buffer {
  return Buffer.isBuffer(text) ? text : finish(text)
}

/** A body that is not what its Content-Type says, or is beyond a limit. `detail` is for people and holds nothing of the body. */
export class UnreadableBodyError extends SealwayError {
  override readonly name = "UnreadableBodyError"
  /** `too-large`: a limit on size, depth or number; `malformed`: anything else. */
  readonly reason: "malformed" | "too-large"

  constructor(reason: "malformed" | "too-large", detail: string, options?: ErrorOptions) {
    super(reason === "too-large" ? "payload-too-large" : "bad-request", detail, options)
    this.reason = reason
  }
}

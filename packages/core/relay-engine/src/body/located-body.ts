import { finish, SealwayError, type Work } from "@sealway/kernel"
import type { ValueType } from "@sealway/tokens"

/** A value of a body, and the position of its bytes. */
export interface LocatedValue {
  /** The bytes `[start, end)` are what another value would replace: a whole JSON literal, quotes included; the content of an XML element or attribute; a form field's value. */
  readonly start: number
  readonly end: number
  /** `number` and `boolean` only in JSON; everything else is text. */
  readonly type: ValueType
  /** The selectors that select it: ascending indices into the list that the body was located with. */
  readonly selectors: readonly number[]
}

/** The name of a field, element or attribute. */
export interface FieldName {
  readonly text: string
  /** Its place, as of a value. */
  readonly path: string
}

/** What is looked for in a body, without changing it. */
export interface InspectedBody {
  /** In order of position, without overlaps or duplicates. */
  readonly selected: readonly LocatedValue[]
  /** Yields the others, in order, created during iteration. */
  unselected(): Iterable<LocatedValue>
  /** Does the same as `text` leniently: never for writing. The result may not be UTF-8. */
  looseText(value: LocatedValue): Buffer | Work<Buffer>
  /** Yields the names of its fields, selected or not, which may be of any length: created during iteration. */
  names(): Iterable<FieldName>
  /** Returns the place of a value, for people: a normalized JSONPath, a field's name. Contains no value. */
  path(value: LocatedValue): string
}

/**
 * A parsed body of any format: values, and the bytes between them, which never change. A selector that selects a
 * container selects all values in it; `null` and empty containers are not values.
 */
export interface LocatedBody extends InspectedBody {
  /**
   * Returns the text of a value: UTF-8, unescaped; for a number or boolean its literal, digit for digit. In steps for a
   * large one.
   *
   * @throws UnreadableBodyError when it is not text: a lone surrogate
   */
  text(value: LocatedValue): Buffer | Work<Buffer>
  /** Returns the literal that replaces this value, as UTF-8 text. In steps and pieces for a large one. */
  write(value: LocatedValue, type: ValueType, text: Buffer): string | Work<readonly string[]>
}

/** Values with more bytes are read in steps. */
export const LARGE_TEXT_BYTES = 131_072

/** Reads a text with few bytes at once. */
export function atOnceUnlessLarge(text: Work<Buffer>, bytes: number): Buffer | Work<Buffer> {
  return bytes > LARGE_TEXT_BYTES ? text : finish(text)
}

/** Reads a text at once: for callers that block nothing else. */
export function readAtOnce(text: Buffer | Work<Buffer>): Buffer {
  return Buffer.isBuffer(text) ? text : finish(text)
}

/**
 * The body does not match its Content-Type, or exceeds a limit. `detail` is for people and contains nothing of the
 * body.
 */
export class UnreadableBodyError extends SealwayError {
  override readonly name = "UnreadableBodyError"
  /** `too-large`: a limit on size, depth or number; `malformed`: anything else. */
  readonly reason: "malformed" | "too-large"

  constructor(reason: "malformed" | "too-large", detail: string, options?: ErrorOptions) {
    super(reason === "too-large" ? "payload-too-large" : "bad-request", detail, options)
    this.reason = reason
  }
}

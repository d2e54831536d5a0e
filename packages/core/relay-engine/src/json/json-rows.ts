/**
 * The values of a JSON text, each a row of four integers in one array, in document order. Row 0 is the whole document,
 * and the rows of a container's content follow its own. A text of megabytes thus costs 16 bytes per value.
 */
export interface JsonRows {
  readonly cells: Int32Array
  readonly count: number
  /** All flags that some name has: `NAME_ESCAPED`, `NAME_DOTTED`, `NAME_SPECIAL`. */
  readonly names: number
}

export const ROW_SIZE = 4

/** The first byte of the literal, or of the container. */
export const START = 0
/** For a scalar the byte after its literal; for a container the row after its last descendant's. */
export const END = 1
/** The first byte of a field's name, after the quote; 0 for a value without a name. */
export const NAME = 2
/** A kind, and flags. */
export const TRAITS = 3

export const OBJECT = 0
export const ARRAY = 1
export const NULL = 2
export const STRING = 3
export const NUMBER = 4
export const BOOLEAN = 5
export const KIND_MASK = 0b111

/** The string contains a backslash. */
export const ESCAPED = 8
/** The field's name contains a backslash. */
export const NAME_ESCAPED = 16
/** No sibling follows. */
export const LAST = 32
/** The field's name contains a dot or an opening bracket. One in an escape is not seen. */
export const NAME_DOTTED = 64
/** The field's name begins like `__proto__` or `$ref`. One in an escape is not seen. */
export const NAME_SPECIAL = 128

/** How the bytes of a file are packed in a zip, by the number that stands for it there. */
export const STORED = 0
export const DEFLATED = 8

/** A file as it is in a zip. */
export interface PackedFile {
  /** Relative, with `/` between folders. */
  readonly path: string
  /** Unpacked. */
  readonly bytes: number
  /** Of the unpacked bytes. */
  readonly crc32: number
  readonly method: typeof STORED | typeof DEFLATED
  readonly packed: Uint8Array
}

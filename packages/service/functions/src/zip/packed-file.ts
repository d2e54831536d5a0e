/** How a file's bytes are packed in a zip, by method number. */
export const STORED = 0
export const DEFLATED = 8

/** A file as it is in a zip. */
export interface PackedFile {
  /** Relative, with `/` between folders. */
  readonly path: string
  /** The unpacked size. */
  readonly bytes: number
  /** The checksum of the unpacked bytes. */
  readonly crc32: number
  readonly method: typeof STORED | typeof DEFLATED
  readonly packed: Uint8Array
}

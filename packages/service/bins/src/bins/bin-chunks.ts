import { promisify } from "node:util"
import { constants, createDeflateRaw, inflateRawSync } from "node:zlib"
import { KB, MB } from "@sealway/kernel"
import * as z from "zod"
import { type BinRow, binRowSchema } from "./bin-row.ts"
import { openAt, type RowCursor } from "./row-order.ts"

/** Consecutive rows of a table, stored as one item. */
export interface BinChunk {
  /** Earlier rows whose ranges continue into this chunk, so that a look-up reads a single item. */
  readonly open: readonly BinRow[]
  readonly rows: readonly BinRow[]
}

/** A chunk that is ready to be stored. */
export interface WrittenChunk {
  readonly first: Pick<BinRow, "from">
  /** JSON of a `BinChunk`. */
  readonly text: string
}

/** A chunk as it is stored. */
export interface PackedChunk extends Pick<WrittenChunk, "first"> {
  /** The text, compressed with DEFLATE. */
  readonly packed: Uint8Array
}

const ROWS_PER_CHUNK = 100
/**
 * In characters of JSON. With the open rows it is far below DynamoDB's limit of 400 KB per item, even if it barely
 * compresses.
 */
const CHUNK_CHARACTERS = 64 * KB
/** The maximum JSON size of an inflated chunk, in UTF-8. */
const MAX_CHUNK_BYTES = MB

/** An empty last block of DEFLATE (RFC 1951, section 3.2.6). */
const LAST_BLOCK = Buffer.of(0x03, 0x00)

const storedSchema = z.object({ open: z.array(z.unknown()), rows: z.array(z.unknown()) })

/** Writes rows, in order, into chunks. It keeps only their text, so that millions of rows leave few objects behind. */
export class ChunkWriter {
  #first: BinRow | null = null
  #open: readonly BinRow[] = []
  #texts: string[] = []
  #characters = 0

  /**
   * @param text the row as JSON
   * @param open the cursor's open rows before this one
   * @returns the chunk that this row fills; null until then
   */
  add(row: BinRow, text: string, open: RowCursor["open"]): WrittenChunk | null {
    if (this.#first === null) {
      this.#first = row
      this.#open = openAt(open, row)
    }
    this.#texts.push(text)
    this.#characters += text.length
    const isFull = this.#texts.length === ROWS_PER_CHUNK || this.#characters >= CHUNK_CHARACTERS
    return isFull ? this.end() : null
  }

  /** Ends a chunk. @returns the rows since the last one; null for none */
  end(): WrittenChunk | null {
    const first = this.#first
    if (first === null) return null
    const text = `{"open":${JSON.stringify(this.#open)},"rows":[${this.#texts.join(",")}]}`
    this.#first = null
    this.#texts = []
    this.#characters = 0
    return { first, text }
  }
}

/**
 * Compresses chunks, one after the other. All of them use one handle of zlib: handles survive all but full collections
 * of garbage, and one for each chunk would leave 60 MB behind an import.
 */
export class ChunkCompressor {
  readonly #deflate = createDeflateRaw()
  readonly #flush = promisify((done: () => void) => this.#deflate.flush(constants.Z_FULL_FLUSH, done))

  async compress({ first, text }: WrittenChunk): Promise<PackedChunk> {
    const blocks: Buffer[] = []
    const keep = (block: Buffer) => blocks.push(block)
    this.#deflate.on("data", keep)
    this.#deflate.write(text)
    await this.#flush()
    this.#deflate.off("data", keep)
    // Nothing before the flush is referred to after it, so what is between two flushes can be read alone.
    return { first, packed: Buffer.concat([...blocks, LAST_BLOCK]) }
  }

  /** Frees its memory. */
  close(): void {
    this.#deflate.close()
  }
}

/** Unpacks a chunk. @throws Error when it was not written by a `ChunkCompressor` */
export function unpackChunk(packed: Uint8Array): BinChunk {
  const text = inflateRawSync(packed, { maxOutputLength: MAX_CHUNK_BYTES }).toString()
  const { open, rows } = storedSchema.parse(JSON.parse(text))
  return { open: open.map(readRow), rows: rows.map(readRow) }
}

const readRow = (row: unknown): BinRow => binRowSchema.parse(row)

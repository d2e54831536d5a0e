import { deflateRawSync, inflateRawSync } from "node:zlib"
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

/** A chunk as it is stored. */
export interface PackedChunk {
  readonly first: Pick<BinRow, "from">
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

/**
 * The approximate size of a compressed chunk. The default buffer is 16 KB each time, which is garbage for an import.
 */
const PACKED_BYTES = 2 * KB
/**
 * What is being compressed. zlib's handles keep their input, and survive all but full collections of garbage, so with an
 * input of its own for each chunk an import would leave 60 MB behind.
 */
const INPUT = Buffer.allocUnsafeSlow(128 * KB)

const storedSchema = z.object({ open: z.array(z.unknown()), rows: z.array(z.unknown()) })

/** Packs rows, in order, into chunks. It keeps only their text, so that millions of rows leave few objects behind. */
export class ChunkPacker {
  #first: BinRow | null = null
  #open: readonly BinRow[] = []
  #texts: string[] = []
  #characters = 0

  /**
   * @param text the row as JSON
   * @param open the cursor's open rows before this one
   * @returns the chunk that this row fills; null until then
   */
  add(row: BinRow, text: string, open: RowCursor["open"]): PackedChunk | null {
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
  end(): PackedChunk | null {
    const first = this.#first
    if (first === null) return null
    const text = `{"open":${JSON.stringify(this.#open)},"rows":[${this.#texts.join(",")}]}`
    this.#first = null
    this.#texts = []
    this.#characters = 0
    return { first, packed: pack(text) }
  }
}

function pack(text: string): Uint8Array {
  const input = Buffer.byteLength(text) > INPUT.length ? text : INPUT.subarray(0, INPUT.write(text))
  return deflateRawSync(input, { chunkSize: PACKED_BYTES })
}

/** Unpacks a chunk. @throws Error when it was not written by a `ChunkPacker` */
export function unpackChunk(packed: Uint8Array): BinChunk {
  const text = inflateRawSync(packed, { maxOutputLength: MAX_CHUNK_BYTES }).toString()
  const { open, rows } = storedSchema.parse(JSON.parse(text))
  return { open: open.map(readRow), rows: rows.map(readRow) }
}

const readRow = (row: unknown): BinRow => binRowSchema.parse(row)

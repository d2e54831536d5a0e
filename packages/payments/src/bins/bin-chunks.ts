import { deflateRawSync, inflateRawSync } from "node:zlib"
import { KB, MB } from "@sealway/kernel"
import * as z from "zod"
import { type BinRow, binRowSchema } from "./bin-row.ts"
import { openAt, passRow, type RowCursor } from "./row-order.ts"

/** Consecutive rows of a table, stored as one item. */
export interface BinChunk {
  /** Earlier rows whose ranges continue into this chunk, so that a look-up reads a single item. */
  readonly open: readonly BinRow[]
  readonly rows: readonly BinRow[]
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
const PACKED_BYTES = 4 * KB

const storedSchema = z.object({ open: z.array(z.unknown()), rows: z.array(z.unknown()) })

/** Divides rows into chunks, in order. @param cursor the position before the first row */
export function* chunksOf(rows: readonly BinRow[], cursor: RowCursor): Generator<BinChunk> {
  let current = cursor
  for (let index = 0; index < rows.length; ) {
    const first = rows[index]
    if (first === undefined) return
    const open = openAt(current.open, first)
    const taken: BinRow[] = []
    let characters = 0
    for (; taken.length < ROWS_PER_CHUNK && characters < CHUNK_CHARACTERS; index++) {
      const row = rows[index]
      if (row === undefined) break
      taken.push(row)
      characters += JSON.stringify(row).length
      current = passRow(current, row)
    }
    yield { open, rows: taken }
  }
}

export function packChunk({ open, rows }: BinChunk): Uint8Array {
  return deflateRawSync(JSON.stringify({ open, rows }), { chunkSize: PACKED_BYTES })
}

/** Unpacks a chunk. @throws Error when it was not written by `packChunk` */
export function unpackChunk(packed: Uint8Array): BinChunk {
  const text = inflateRawSync(packed, { maxOutputLength: MAX_CHUNK_BYTES }).toString()
  const { open, rows } = storedSchema.parse(JSON.parse(text))
  return { open: open.map(readRow), rows: rows.map(readRow) }
}

const readRow = (row: unknown): BinRow => binRowSchema.parse(row)

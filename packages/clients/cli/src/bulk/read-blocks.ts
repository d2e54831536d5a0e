import { KB } from "@sealway/kernel"

/** Fewer new bytes are not worth another look at the rest of the previous block. */
const MIN_FRESH_BYTES = 64 * KB
/** An incomplete row is read again when it has grown by this fraction, not with every chunk. */
const MIN_GROWTH = 1 / 8

/** Bytes of an input to be split into rows next. */
export interface Block {
  readonly bytes: Buffer<ArrayBuffer>
  /** Whether nothing follows it. */
  readonly isLast: boolean
}

/**
 * Joins chunks to blocks. Each starts with the rest of the previous one.
 *
 * @param use consumes bytes from the start of a block, and returns the rest
 * @param minFreshBytes how many new bytes a block has at least
 */
export async function* readBlocks<Result>(
  chunks: AsyncIterable<Uint8Array>,
  use: (block: Block) => Generator<Result, Buffer<ArrayBuffer>>,
  minFreshBytes: number = MIN_FRESH_BYTES,
): AsyncGenerator<Result> {
  let rest: Buffer<ArrayBuffer> = Buffer.alloc(0)
  let fresh: Uint8Array[] = []
  let freshBytes = 0
  for await (const chunk of chunks) {
    fresh.push(chunk)
    freshBytes += chunk.length
    if (freshBytes < Math.max(minFreshBytes, rest.length * MIN_GROWTH)) continue
    rest = yield* use({ bytes: Buffer.concat([rest, ...fresh]), isLast: false })
    fresh = []
    freshBytes = 0
  }
  yield* use({ bytes: Buffer.concat([rest, ...fresh]), isLast: true })
}

import { KB } from "@sealway/kernel"

/** Fewer new bytes are not worth a look at what is left of the block before them. */
const MIN_FRESH_BYTES = 64 * KB
/** A row that does not end is looked at again when it has grown by this part, not with every chunk. */
const MIN_GROWTH = 1 / 8

/** Bytes of an input that are next to be cut into rows. */
export interface Block {
  readonly bytes: Buffer<ArrayBuffer>
  /** Whether nothing comes behind it. */
  readonly isLast: boolean
}

/**
 * Joins chunks to blocks. Each begins with what was left of the one before it.
 *
 * @param use takes bytes from the start of a block, and returns what is left
 * @param minFreshBytes a block has so many more than the one before it left
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

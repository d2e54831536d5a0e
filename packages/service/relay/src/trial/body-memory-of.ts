import { headerOf, type RawHeaders, type Task } from "@sealway/kernel"
import { type BodyMemory, HELD_PER_BYTE, MESSAGE_LIMITS } from "@sealway/relay-engine"

/** What a compressed sample waits for. Few bodies take more, and those count it on the way. */
const COMPRESSED_BYTES = (HELD_PER_BYTE / 2) * MESSAGE_LIMITS.maxBodyBytes

/**
 * The memory of a sample's body, which has arrived in a request: that of its task. A later message of the same trial uses
 * what the earlier one no longer needs.
 *
 * How large a compressed body is shows only when it is decoded. Work that holds much cannot wait for more, so it would be
 * refused whenever others are under way: it waits before, for what a large one takes.
 */
export async function bodyMemoryOf(
  task: Pick<Task, "reserveAtMost" | "take">,
  { rawHeaders }: { readonly rawHeaders: RawHeaders },
): Promise<BodyMemory> {
  const isCompressed = headerOf(rawHeaders, "content-encoding") !== undefined
  let counted = isCompressed ? await task.reserveAtMost(COMPRESSED_BYTES) : 0
  let taken = 0
  const take = (bytes: number) => {
    taken += bytes
    if (taken <= counted) return
    task.take(taken - counted)
    counted = taken
  }
  return {
    // It has been received as a part of the request: this is what it is decoded to.
    receive: take,
    take,
    async reserve(bytes) {
      if (!isCompressed) counted = Math.max(counted, await task.reserveAtMost(taken + bytes))
    },
  }
}

import type { Task } from "@sealway/kernel"
import type { BodyMemory } from "@sealway/relay-engine"

/**
 * The memory of a sample's body, which has arrived in a request: that of its task. A later message of the same trial uses
 * what the earlier one no longer needs.
 */
export function bodyMemoryOf(task: Pick<Task, "reserveAtMost" | "take">): BodyMemory {
  /** The part of what was reserved that has not been taken. */
  let reserved = 0
  return {
    // It has been received as a part of the request.
    receive: () => undefined,
    async reserve(bytes) {
      reserved = await task.reserveAtMost(bytes)
    },
    take(bytes) {
      const more = Math.max(0, bytes - reserved)
      reserved -= bytes - more
      if (more > 0) task.take(more)
    },
  }
}

import type { Task } from "@sealway/kernel"
import { type BodyMemory, UNCOUNTED } from "@sealway/relay-engine"

/** The memory of a sample's bodies, which have arrived in a request: that of its task. */
export function bodyMemoryOf(task: Task): BodyMemory {
  return { ...UNCOUNTED, take: (bytes) => task.take(bytes) }
}

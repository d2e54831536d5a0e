import { totalmem } from "node:os"
import { constrainedMemory } from "node:process"
import { MB } from "@sealway/kernel"

/**
 * The memory of one process for all requests at a time. The process takes 200 to 250 MB besides, and garbage that is not
 * collected yet: at most 750 MiB under the load that needs the most (`npm run bench -- overload`).
 */
export const DEFAULT_MEMORY_BYTES = 384 * MB

/** The least for one process: a document of 5 MB with 20,000 values still fits. */
export const MIN_MEMORY_BYTES = 64 * MB

/** The part of a container's memory that is for requests. The rest is for programs, caches, data, and garbage. */
const CONTAINER_SHARE = 1 / 3

/**
 * Returns the memory for requests of each process, by default: less than usual in a container with little.
 *
 * @param processes how many share the container
 * @param limitBytes that of the container's cgroup, version 1 or 2, as Node.js reads it. No limit: any number that is
 * larger than the machine's memory
 */
export function defaultMemoryBytes(
  processes: number,
  limitBytes: number = constrainedMemory(),
  machineBytes: number = totalmem(),
): number {
  if (limitBytes === 0 || limitBytes >= machineBytes) return DEFAULT_MEMORY_BYTES
  const share = Math.floor((limitBytes * CONTAINER_SHARE) / processes)
  return Math.min(DEFAULT_MEMORY_BYTES, Math.max(MIN_MEMORY_BYTES, share))
}

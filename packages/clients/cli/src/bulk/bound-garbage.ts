import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/**
 * Keeps the heap of this process small. V8 doubles the space for new objects, up to 128 MiB, whenever as much as it
 * holds has survived a collection, so over time memory would grow with the length of a table. The data in progress
 * takes only a few MiB. No option of a running process sets that limit, but this one stops the growth.
 */
export function boundGarbage(): void {
  setFlagsFromString("--semi-space-growth-factor=1")
}

/**
 * Returns a function that collects all garbage at once, in about 10 ms for a small heap. Commands that send one request
 * after another need it: what is left of a request, including its body, survives the collections of new objects,
 * and V8 would let about 60 MiB of it accumulate.
 */
export function garbageCollector(): () => void {
  setFlagsFromString("--expose-gc")
  const collect: unknown = runInNewContext("gc")
  if (typeof collect !== "function") throw new TypeError("V8 has no gc")
  return () => void collect()
}

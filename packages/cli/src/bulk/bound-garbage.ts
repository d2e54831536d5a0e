import { setFlagsFromString } from "node:v8"

/**
 * Keeps the heap of this process small. V8 doubles the space for new objects, up to 128 MiB, whenever as much as it
 * holds has survived a collection, so over time memory would grow with the length of a table. The data in progress
 * takes only a few MiB. No option of a running process sets that limit, but this one stops the growth.
 */
export function boundGarbage(): void {
  setFlagsFromString("--semi-space-growth-factor=1")
}

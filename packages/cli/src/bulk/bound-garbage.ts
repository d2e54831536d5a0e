import { setFlagsFromString } from "node:v8"

/**
 * Keeps the heap of this process as small as it is. V8 doubles the space for new objects, up to 128 MiB, whenever as much as
 * it holds has outlived a collection: not at once, but in the end, so that memory would grow with the length of a table. What
 * is worked on at any time takes a few MiB. No option of a running process sets that limit, but this one stops the growth.
 */
export function boundGarbage(): void {
  setFlagsFromString("--semi-space-growth-factor=1")
}

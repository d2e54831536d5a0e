import type { Task } from "../work/task.ts"
import { type Work, waitFor } from "../work/work.ts"
import { countJsonItems } from "./count-items.ts"

/** Up to this size, JSON is not weighed: what is made of it is small too. */
export const UNWEIGHED_BYTES = 1_024

/**
 * What parsed JSON takes. Measured with Node.js 24, per item as `countJsonItems` counts: 33 bytes for `{}` in a list, 87
 * for fields of one large object, 115 for objects that all have other names; a schema may copy as much. But never more
 * than 22 times as much as the text, which takes 5 MB of `{}`: schemas refuse such lists before they copy them.
 */
const PARSED = { perItem: 2 * 120, mostPerByte: 24 }

/** The text, as strings. */
const TEXT_PER_BYTE = 2

/** Returns how much memory JSON takes at most once it is parsed, in steps. */
export function* parsedBytesInSteps(bytes: Buffer): Work<number> {
  const items = yield* countJsonItems(bytes)
  return Math.min(PARSED.mostPerByte * bytes.length, TEXT_PER_BYTE * bytes.length + PARSED.perItem * items)
}

/** Reserves the memory that a JSON body takes once it is parsed. */
export function* reserveToParse(bytes: Buffer, task: Task): Work<void> {
  if (bytes.length > UNWEIGHED_BYTES) yield* waitFor(task.reserve(yield* parsedBytesInSteps(bytes)))
}

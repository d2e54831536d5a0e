import { setTimeout as delay } from "node:timers/promises"
import { ApiError, ConflictError } from "@sealway/kernel"

/** The number of records of a limited kind. */
export interface LimitedCount {
  /** All their ids, made by `createId`. */
  readonly ids: readonly string[]
  readonly max: number
  /** The error text when there are more. */
  readonly refusal: string
}

/** A write that added a record of a limited kind. */
export interface LimitedChange {
  /** The id of the record that was written. */
  readonly id: string
  /** Counts with a strongly consistent read, so that the write is included. */
  readonly count: () => Promise<readonly LimitedCount[]>
  /** Undoes the write. Returns false when another call changed the record at the same time; it is then called again. */
  readonly undo: () => Promise<boolean>
}

/** How often to count, for about two seconds in all. Undoing a change takes two calls of a table. */
const MAX_LOOKS = 10
const MAX_UNDOS = 10

/**
 * Keeps a change whose limit was checked before it was written, or undoes it. Other requests may have passed the check
 * at the same time. However many did, no more records than the limit remain once all of them have ended: a change is
 * kept only if a count after its write finds no more than the limit. If there are too many, those with the newest ids
 * are undone immediately. The older ones wait for that, and are undone too if a newer one was already kept.
 *
 * @param pause resolves after some milliseconds
 * @throws ConflictError when there are too many, and whatever `count` throws; the change is undone then
 */
export async function keepWithinLimit(
  { id, count, undo }: LimitedChange,
  pause: (durationMs: number) => Promise<unknown> = delay,
): Promise<void> {
  try {
    for (let look = 1; ; look++) {
      const passed = (await count()).filter(({ ids, max }) => ids.length > max)
      const [first] = passed
      if (first === undefined) return
      const isTooNew = passed.some(({ ids, max }) => ids.filter((each) => each < id).length >= max)
      if (isTooNew || look === MAX_LOOKS) throw new ConflictError(first.refusal)
      await pause(Math.random() * 2 ** look * 4)
    }
  } catch (error) {
    for (let attempt = 0; attempt < MAX_UNDOS; attempt++) if (await undo()) throw error
    throw new ApiError("service-unavailable", "The change could not be undone. Try again shortly.", {
      cause: error,
    })
  }
}

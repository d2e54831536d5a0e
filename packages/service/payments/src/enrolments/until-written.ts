import { ConflictError } from "@sealway/kernel"

/** Thrown by a write that found its record changed by another one first. */
export class ChangedMeanwhileError extends ConflictError {}

/** Another writer makes a few writes in a row: a worker tells an event, asks a network and stores the answer. */
const MAX_TRIES = 10

/**
 * Repeats an attempt while others change the record first. A repetition must read the record again, and check again what
 * its caller relies on.
 *
 * @throws ChangedMeanwhileError when others are faster each time
 */
export async function untilWritten<Result>(
  attempt: (isRepetition: boolean) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(tries > 1)
    } catch (error) {
      if (!(error instanceof ChangedMeanwhileError) || tries === MAX_TRIES) throw error
    }
  }
}

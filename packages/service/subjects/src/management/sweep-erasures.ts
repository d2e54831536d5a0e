import { ConflictError } from "@sealway/kernel"
import { findDataSubject } from "@sealway/keys"
import type { Log } from "@sealway/ports"
import { SYSTEM } from "@sealway/records"
import { type DueErasure, listDueErasures, removeErasure } from "../records/due-erasure-table.ts"
import { type EraseDependencies, eraseKey } from "./erase-key.ts"

/** For so long, a request that has noted an erasure may not have begun it yet. */
const BEGINNING_MS = 60_000

export interface ErasureSweepDependencies extends EraseDependencies {
  readonly log: Pick<Log, "error">
}

/**
 * Completes the erasures whose undo window has ended, and those whose process died. Can be interrupted, repeated and run
 * twice at a time.
 *
 * @param signal stops before the next one when it is aborted. Default: never
 * @returns how many it has completed
 * @throws Error when one of them could not be completed; the others are
 */
export async function sweepErasures(
  dependencies: ErasureSweepDependencies,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  const { configTable, log, wallClock } = dependencies
  let completed = 0
  let failed = 0
  for await (const due of listDueErasures(configTable, wallClock())) {
    if (signal.aborted) break
    try {
      if (await complete(dependencies, due)) completed++
    } catch (error) {
      // Somebody has undone it, or completes it now: the next sweep finds out.
      if (error instanceof ConflictError) continue
      failed++
      log.error("an erasure could not be completed", { error })
    }
  }
  if (failed > 0) throw new Error(`${failed} erasures of data subjects could not be completed`)
  return completed
}

/** Returns false when the erasure was undone, or has not begun yet. */
async function complete(dependencies: ErasureSweepDependencies, due: DueErasure): Promise<boolean> {
  const { configTable, wallClock } = dependencies
  const subject = await findDataSubject(dependencies, due.appId, due.subjectId)
  const isDue =
    subject?.status === "erased" || (subject?.status === "pending" && subject.eraseAt === due.eraseAt)
  if (subject?.status === "active" && wallClock() < due.eraseAt + BEGINNING_MS) return false
  if (subject === null || !isDue) {
    await removeErasure(configTable, due)
    return false
  }
  await eraseKey(dependencies, subject, due, SYSTEM)
  return true
}

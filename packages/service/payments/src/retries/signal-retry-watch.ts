import type { App } from "@sealway/accounts"
import { ConflictError, NotFoundError } from "@sealway/kernel"
import * as z from "zod"
import type { CardDataSender } from "../card-number-of.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { changeByNews } from "../enrolments/apply-news.ts"
import type { EnrolmentDependencies } from "../enrolments/enrolled-kind.ts"
import { findEnrolment } from "../enrolments/enrolled-record.ts"
import { retryConfidenceSchema, retrySignalSchema } from "../networks/messages/retries.ts"
import { requireSandbox, simulateNews } from "../simulation.ts"
import { afterSignal, type RetryWatch, SIGNAL, type ToldSignal, watchAt } from "./retry-watch.ts"
import { RETRY_WATCHES } from "./retry-watch-kind.ts"

/** A signal that a network sends by itself. */
export interface SignalNews extends ToldSignal {
  /** The watch's id. */
  readonly id: string
  readonly round: number
}

/**
 * Ends a watch by its first signal. A signal of a watch that has ended, or no longer exists, changes nothing.
 *
 * @throws Error when the record keeps changing; it is safe to repeat the call
 */
export async function applySignal(
  app: App,
  { id, round, ...told }: SignalNews,
  dependencies: EnrolmentDependencies,
): Promise<void> {
  await changeByNews(RETRY_WATCHES, app, id, dependencies, async (watch) => {
    const nowMs = dependencies.wallClock()
    if (findEnrolment(watch, SIGNAL)?.round !== round) return watch
    return afterSignal(watch, { ...told, occurredAt: Math.min(told.occurredAt, nowMs) }, nowMs)
  })
}

/** The signals that can be simulated. */
export const retrySignalInputSchema = z
  .strictObject({
    signal: retrySignalSchema,
    confidence: retryConfidenceSchema.exactOptional().describe("Default: high"),
  })
  .meta({ id: "RetrySignal" })

/**
 * Simulates a network's signal for a watch of a sandbox app.
 *
 * @throws ForbiddenError for a production app, NotFoundError, ConflictError when the watch is over
 */
export async function simulateSignal(
  dependencies: PaymentDependencies,
  sender: CardDataSender,
  id: string,
  { signal, confidence = "high" }: z.infer<typeof retrySignalInputSchema>,
): Promise<RetryWatch> {
  const { wallClock } = dependencies
  requireSandbox(sender.principal.app)
  requireWatching(await RETRY_WATCHES.table.find(dependencies, sender.principal.app, id), wallClock())
  return simulateNews(RETRY_WATCHES, dependencies, sender, id, async (watch) => {
    const occurredAt = wallClock()
    return afterSignal(requireWatching(watch, occurredAt), { signal, confidence, occurredAt }, occurredAt)
  })
}

function requireWatching(watch: RetryWatch | null, nowMs: number): RetryWatch {
  if (watch === null || watch.deletedAt !== null) throw new NotFoundError(RETRY_WATCHES.title)
  if (watchAt(watch, nowMs).details.status === "watching") return watch
  throw new ConflictError("The watch has ended: it was signalled, stopped or has expired.")
}

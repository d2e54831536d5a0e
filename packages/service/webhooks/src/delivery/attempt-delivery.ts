import { audited, SYSTEM } from "@sealway/records"
import type { WorkerDependencies } from "../dependencies.ts"
import { type AttemptOutcome, beginAttempt, endAttempt, nextStep } from "../records/delivery.ts"
import type { Delivery } from "../records/delivery-table.ts"
import { deliveryRecords } from "../records/delivery-table.ts"
import type { WebhookEndpoint } from "../records/webhook-endpoint-table.ts"
import { endpointRecords } from "../records/webhook-endpoint-table.ts"
import { eventRecords } from "../records/webhook-event-table.ts"
import type { DeliveryTurns, Turn } from "../schedule/delivery-turns.ts"
import { queueOf } from "../schedule/lanes.ts"
import { RETRY_SCHEDULE } from "../schedule/retry-schedule.ts"
import { type Destination, findDestination } from "./destination.ts"
import { type AttemptMessage, sendAttempt, sendDeadLetter } from "./messages.ts"
import { sendEventOnce } from "./send-event.ts"
import { settleEvent } from "./settle-event.ts"
import type { SlowDestinations } from "./slow-destinations.ts"

export interface AttemptDependencies extends WorkerDependencies {
  readonly turns: DeliveryTurns
  readonly slow: SlowDestinations
}

/** An answer that takes longer makes a destination slow, until it answers faster. */
const SLOW_MS = 1_000
/** A cut-off attempt is recorded before its delivery comes again. */
const HAND_OVER_MS = 1_000

/**
 * Processes a message, as far as the delivery's record allows. The next message is sent before the outcome is recorded:
 * a crash in between repeats an attempt, with the same `webhook-id`, and never loses one.
 *
 * @throws Error when the message must be retried
 */
export async function attemptDelivery(
  message: AttemptMessage,
  dependencies: AttemptDependencies,
): Promise<void> {
  const { eventsTable, queues, wallClock, lane = null } = dependencies
  const delivery = await deliveryRecords.find(eventsTable, message.appId, message)
  if (delivery === null) return
  const step = nextStep(delivery, message.attempt, wallClock())
  switch (step.do) {
    case "drop":
      // A crash may have come between the end of the delivery and that of the event.
      if (delivery.status !== "pending") await settleEvent(dependencies, delivery.appId, delivery.eventId)
      return
    case "wait":
      return sendAttempt(queues, message, message.attempt, step.waitMs, queueOf(lane))
    case "give-up":
      return conclude(
        { ...delivery, status: "failed", nextAttemptAt: null, claimedUntil: null },
        dependencies,
      )
    case "rest":
      return putBack(step.delivery, step.waitMs, dependencies)
    case "attempt":
      // If another worker has just started it, the record says what to do now.
      if (!(await attempt(delivery, dependencies))) await attemptDelivery(message, dependencies)
  }
}

/** Returns false, and does nothing, when the delivery was changed first. */
async function attempt(delivery: Delivery, dependencies: AttemptDependencies): Promise<boolean> {
  const { eventsTable, directory, wallClock, queues, slow } = dependencies
  const { schedule = RETRY_SCHEDULE, random = Math.random, lane = null } = dependencies
  const { appId, eventId, endpointId } = delivery
  const [event, app] = await Promise.all([
    eventRecords.find(eventsTable, appId, { id: eventId }),
    directory.app(appId),
  ])
  if (event === null) return true
  const destination = app && (await findDestination(dependencies, app, event, endpointId))
  if (destination === null) {
    await conclude(
      { ...delivery, status: "cancelled", nextAttemptAt: null, claimedUntil: null },
      dependencies,
    )
    return true
  }
  const { url, endpoint } = destination
  if (lane === "quick" && (await slow.has(appId, url))) {
    await sendAttempt(queues, delivery, delivery.attempts + 1, 0, "slow-events")
    return true
  }
  const turn = await dependencies.turns.take(appId, url)
  if ("waitMs" in turn) {
    await putBack(delivery, turn.waitMs, dependencies)
    return true
  }
  const made = await takeTurn(turn, delivery, destination, dependencies)
  if (made === null) return false
  const { begun, outcome, tookMs } = made
  if (lane === "quick" && outcome.failure === "timeout") {
    await handOver(begun, url, dependencies)
    return true
  }
  if (lane === "slow") await (tookMs > SLOW_MS ? slow.add(appId, url) : slow.remove(appId, url))
  if (outcome.statusCode === 410 && endpoint !== null) await disable(endpoint, event.teamId, dependencies)
  await conclude(endAttempt(begun, outcome, { nowMs: wallClock(), schedule, random: random() }), dependencies)
  return true
}

/**
 * Starts an attempt, makes it and ends its turn. Returns null, and does nothing, when the delivery was changed first.
 */
async function takeTurn(
  turn: Extract<Turn, { end: unknown }>,
  delivery: Delivery,
  { url, body, secrets }: Destination,
  { eventsTable, egress, now, wallClock }: WorkerDependencies,
): Promise<{ readonly begun: Delivery; readonly outcome: AttemptOutcome; readonly tookMs: number } | null> {
  let isSent = false
  try {
    const begun = await deliveryRecords.replace(
      eventsTable,
      delivery.appId,
      beginAttempt(delivery, wallClock()),
    )
    if (begun === null) return null
    isSent = true
    const { eventId } = delivery
    const sentAt = now()
    const outcome = await sendEventOnce(egress, url, { eventId, body }, secrets, wallClock)
    return { begun, outcome, tookMs: now() - sentAt }
  } finally {
    turn.end(isSent)
  }
}

/** Delays a delivery without an attempt. The later due time tells a sweeper that its message is not lost. */
async function putBack(
  delivery: Delivery,
  waitMs: number,
  { eventsTable, queues, wallClock, lane = null }: WorkerDependencies,
): Promise<void> {
  const nextAttemptAt = wallClock() + waitMs
  await sendAttempt(queues, delivery, delivery.attempts + 1, waitMs, queueOf(lane))
  // If it was changed first, whoever changed it continues with it.
  await deliveryRecords.replace(eventsTable, delivery.appId, { ...delivery, nextAttemptAt })
}

/** Moves a delivery whose receiver did not answer in time to the slow lane, without counting an attempt. */
async function handOver(
  begun: Delivery,
  url: string,
  { eventsTable, queues, wallClock, slow }: AttemptDependencies,
): Promise<void> {
  const { appId, attempts } = begun
  await slow.add(appId, url)
  await sendAttempt(queues, begun, attempts, HAND_OVER_MS, "slow-events")
  const nextAttemptAt = wallClock() + HAND_OVER_MS
  if (
    (await deliveryRecords.replace(eventsTable, begun.appId, {
      ...begun,
      attempts: attempts - 1,
      claimedUntil: null,
      nextAttemptAt,
    })) === null
  ) {
    throw new Error("The delivery was changed while an attempt was under way")
  }
}

/** Records the outcome of a delivery, and triggers what follows. */
async function conclude(delivery: Delivery, dependencies: WorkerDependencies): Promise<void> {
  const { eventsTable, queues, wallClock } = dependencies
  const { status, nextAttemptAt, attempts, appId, eventId } = delivery
  if (status === "pending" && nextAttemptAt !== null) {
    await sendAttempt(queues, delivery, attempts + 1, nextAttemptAt - wallClock())
  }
  if (status === "failed") await sendDeadLetter(queues, delivery)
  if ((await deliveryRecords.replace(eventsTable, delivery.appId, delivery)) === null) {
    throw new Error("The delivery was changed while an attempt was under way")
  }
  if (status !== "pending") await settleEvent(dependencies, appId, eventId)
}

/** Disables an endpoint that answers 410 Gone, unless it was changed meanwhile. */
async function disable(
  endpoint: WebhookEndpoint,
  teamId: string,
  { configTable, audit, wallClock }: WorkerDependencies,
): Promise<void> {
  const { id, appId } = endpoint
  const entry = {
    ...SYSTEM,
    teamId,
    appId,
    action: "webhook-endpoint.disable",
    target: { type: "webhook-endpoint", id },
    details: { reason: "410" },
  }
  await audited(audit, entry, () =>
    endpointRecords.replace(configTable, endpoint.appId, {
      ...endpoint,
      status: "disabled",
      updatedAt: wallClock(),
    }),
  )
}

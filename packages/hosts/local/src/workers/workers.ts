import { createRunWorker, type FunctionDependencies, requeueFunctionWork } from "@sealway/functions"
import { noteTouches } from "@sealway/honey"
import type { Platform } from "@sealway/http"
import { createEgress } from "@sealway/http/egress"
import {
  createEnrolmentWorker,
  type PaymentDependencies,
  requeueEnrolments,
  requeueSessions,
} from "@sealway/payments"
import type { QueueName } from "@sealway/ports"
import type { AuditRecord } from "@sealway/records/audit-chain"
import { createWebhookWorker, QUICK_TIMEOUT_MS, type RequeueOptions, requeuePending } from "@sealway/webhooks"
import type { EmbeddedCloud } from "../cloud/start-embedded-cloud.ts"
import { type QueuePollerOptions, startQueuePoller } from "./queue-poller.ts"
import { startSweeper } from "./sweeper.ts"

/** When to queue work again whose message was lost, for example moved to a dead-letter queue: as in the cloud. */
export interface SweepTimes {
  /** From the end of one sweep to the start of the next. */
  readonly everyMs: number
  /** See `RequeueOptions`. */
  readonly overdueMs: number
}

const SWEEP_TIMES: SweepTimes = { everyMs: 900_000, overdueMs: 1_800_000 }

const EVENTS_AT_ONCE = 200
/** Twice as many as slow receivers may take. */
const SLOW_EVENTS_AT_ONCE = 200
const RUNS_AT_ONCE = 100
/** In each of two queues: merchants never wait behind the daily checks of cards. */
const ENROLMENTS_AT_ONCE = 10

/** The background workers. */
export interface Workers {
  /** Resolves when current work is done; the rest is found at the next start. */
  close(): Promise<void>
}

/** What workers share with the endpoints of their area. */
export interface WorkerDependencies {
  readonly functions: FunctionDependencies
  readonly payments: PaymentDependencies
}

/**
 * Queues work again that an earlier process left, because queues are in memory, and starts the workers and sweepers of
 * the queues.
 */
export async function startWorkers(
  platform: Platform,
  { functions, payments }: WorkerDependencies,
  { queues }: Pick<EmbeddedCloud, "queues">,
  { everyMs, overdueMs }: SweepTimes = SWEEP_TIMES,
): Promise<Workers> {
  const poll = (name: QueueName, options: Required<Pick<QueuePollerOptions, "handler" | "concurrency">>) =>
    startQueuePoller({ queue: queues.queue(name), log: platform.log, ...options })
  const requeue = async (options: RequeueOptions) => {
    await requeuePending(platform, options)
    await requeueFunctionWork(functions, options)
    await requeueEnrolments(payments, options)
    await requeueSessions(payments, options)
  }
  await requeue({ overdueMs: 0 })
  const allowPrivate = platform.allowPrivateDestinations
  const quick = createEgress({ allowPrivate, totalTimeoutMs: QUICK_TIMEOUT_MS })
  const slow = createEgress({ allowPrivate })
  const onAuditRecord = (record: AuditRecord) => noteTouches(platform, record)
  const pollers = [
    poll("events", {
      handler: createWebhookWorker({ ...platform, egress: quick, onAuditRecord, lane: "quick" }),
      concurrency: EVENTS_AT_ONCE,
    }),
    poll("slow-events", {
      handler: createWebhookWorker({ ...platform, egress: slow, lane: "slow" }),
      concurrency: SLOW_EVENTS_AT_ONCE,
    }),
    poll("function-runs", { handler: createRunWorker(functions), concurrency: RUNS_AT_ONCE }),
    ...(["enrolments", "card-checks"] as const).map((queue) =>
      poll(queue, { handler: createEnrolmentWorker(payments), concurrency: ENROLMENTS_AT_ONCE }),
    ),
  ]
  const sweeper = startSweeper({ sweep: () => requeue({ overdueMs }), everyMs, log: platform.log })
  return {
    async close() {
      await sweeper.close()
      await Promise.all(pollers.map((poller) => poller.close()))
      await Promise.all([quick.close(), slow.close()])
    },
  }
}

import { createId } from "@sealway/kernel"
import {
  type AuditEntry,
  appPartition,
  type EventRecipient,
  eventKey,
  type NewEvent,
  pendingKey,
  RANDOM_DRAWS,
} from "@sealway/platform"
import { EgressError, type EgressFailure, type PostRequest } from "@sealway/platform/egress"
import { TEST_APP as APP, createMemoryTable, createTestKeyring, sqsRecord } from "@sealway/platform/testing"
import { requeuePending } from "../delivery/requeue-pending.ts"
import { createWebhookWorker } from "../delivery/worker.ts"
import type { Delivery } from "../records/delivery-table.ts"
import { deliveryRecords, listDeliveries } from "../records/delivery-table.ts"
import type { WebhookEndpoint } from "../records/webhook-endpoint-table.ts"
import { endpointRecords } from "../records/webhook-endpoint-table.ts"
import { eventRecords } from "../records/webhook-event-table.ts"
import { generateSecret, sealSecret } from "../signing/secret.ts"

const START_MS = 1_700_000_000_000
const VISIBILITY_MS = 180_000
const MAX_RECEIVES = 8
/** Long enough to be slow. */
const TIMEOUT_MS = 1_500

/** How a receiver answers: with a status, with a `Retry-After`, or not at all. */
export type Reply = number | { readonly status: number; readonly retryAfter: string } | EgressFailure

interface QueuedMessage {
  readonly id: string
  readonly queue: string
  readonly body: string
  visibleAt: number
  receives: number
}

export interface WorldOptions {
  /** Called before and after each external call of the worker. Throws where the process must die. */
  readonly crash?: () => void
  /** Whether to deliver a processed message once more. */
  readonly isDuplicated?: () => boolean
  /** Whether each queue has its own worker. Default: no, one does everything. */
  readonly hasLanes?: boolean
}

/** Creates the worker with simulated queues, tables, receivers and a clock, so that days pass instantly. */
export async function createWorld({
  crash = () => undefined,
  isDuplicated = () => false,
  hasLanes = false,
}: WorldOptions = {}) {
  let nowMs = START_MS
  let isDead = false
  const call = () => {
    if (isDead) throw new Error("The process is dead")
    try {
      crash()
    } catch (error) {
      isDead = true
      throw error
    }
  }
  const hooks = { beforeCall: call, afterCall: call, wallClock: () => nowMs }
  const eventsTable = createMemoryTable(hooks)
  const configTable = createMemoryTable(hooks)
  const messages: QueuedMessage[] = []
  const deadLetters: object[] = []
  const posts: (PostRequest & { readonly atMs: number })[] = []
  const audited: AuditEntry[] = []
  const logged: unknown[] = []
  const replies = new Map<string, Reply[]>()
  let messageCount = 0

  const keyring = createTestKeyring()
  await keyring.addVersion(APP)
  const dependencies = {
    eventsTable,
    configTable,
    now: () => nowMs,
    wallClock: () => nowMs,
    keyring,
    draws: RANDOM_DRAWS,
    directory: { app: async (id: string) => (id === APP.id ? APP : null) },
    audit: {
      record: async (entry: AuditEntry) => void audited.push(entry),
      async *read() {},
    },
    queues: {
      async send(queue: string, message: object, { delaySeconds = 0 }: { delaySeconds?: number } = {}) {
        call()
        if (delaySeconds > 900) throw new Error("SQS takes no longer delay")
        if (queue === "events-dead-letters") deadLetters.push(message)
        else {
          messageCount += 1
          const visibleAt = nowMs + delaySeconds * 1000
          messages.push({
            id: String(messageCount),
            queue,
            body: JSON.stringify(message),
            visibleAt,
            receives: 0,
          })
        }
        call()
      },
    },
    egress: {
      async post(request: PostRequest) {
        call()
        posts.push({ ...request, atMs: nowMs })
        await new Promise((resolve) => setImmediate(resolve))
        const reply = replies.get(request.url)?.shift() ?? 200
        call()
        if (hasLanes && reply === "timeout") nowMs += TIMEOUT_MS
        if (typeof reply === "string") throw new EgressError(reply)
        const { status, retryAfter } =
          typeof reply === "number" ? { status: reply, retryAfter: undefined } : reply
        return { status, headers: retryAfter === undefined ? {} : { "retry-after": retryAfter } }
      },
    },
    log: { warn: (...told: unknown[]) => void logged.push(told) },
    random: () => 0.5,
  }
  const workers = {
    quick: createWebhookWorker({ ...dependencies, lane: hasLanes ? "quick" : null }),
    slow: createWebhookWorker({ ...dependencies, lane: "slow" }),
  }
  const workerOf = ({ queue }: QueuedMessage) => workers[queue === "slow-events" ? "slow" : "quick"]

  return {
    dependencies,
    eventsTable,
    configTable,
    messages,
    deadLetters,
    posts,
    audited,
    logged,
    now: () => nowMs,
    setReplies: (url: string, ...next: Reply[]) => replies.set(url, next),

    async addEndpoint(url: string, settings: Partial<WebhookEndpoint> = {}) {
      const id = createId("webhook_endpoint", nowMs)
      const secret = generateSecret(RANDOM_DRAWS)
      const endpoint: WebhookEndpoint = {
        id,
        appId: APP.id,
        url,
        events: ["*"],
        description: null,
        status: "enabled",
        secrets: [await sealSecret(dependencies.keyring, APP, id, secret)],
        createdAt: nowMs,
        updatedAt: nowMs,
        revision: 1,
        ...settings,
      }
      await endpointRecords.create(configTable, endpoint.appId, endpoint)
      return { endpoint, secret }
    },

    /** Writes where a recipient is; null removes the record. */
    async placeRecipient({ recordKey }: EventRecipient, url: string | null) {
      const key = { pk: appPartition(APP.id), sk: recordKey }
      await (url === null ? configTable.remove(key, 1) : configTable.put(key, { url, revision: 1 }))
    },

    /** Publishes as the platform's events do. */
    async publish(
      data: object = { a: 1 },
      callbackUrl: string | null = null,
      { recipients = [], toEndpoints = true }: Pick<NewEvent, "recipients" | "toEndpoints"> = {},
    ) {
      const id = createId("webhook_event", nowMs)
      const event = { id, teamId: APP.teamId, appId: APP.id, type: "relay.error", data: JSON.stringify(data) }
      const expiresAt = Math.floor(nowMs / 1000) + 30 * 24 * 60 * 60
      const status = "pending"
      await eventsTable.put(pendingKey(id), { appId: APP.id, expiresAt, revision: 1 })
      await eventsTable.create(eventKey(APP.id, id), {
        ...event,
        callbackUrl,
        recipients: recipients.map((each) => ({ ...each, body: JSON.stringify(each.body) })),
        toEndpoints,
        createdAt: nowMs,
        status,
        expiresAt,
        revision: 1,
      })
      await dependencies.queues.send("events", { appId: APP.id, eventId: id })
      return id
    },

    /** Delivers messages as they become visible, until none is left or the time is over. */
    async run(forMs = 48 * 60 * 60_000) {
      const untilMs = nowMs + forMs
      for (;;) {
        const next = Math.min(...messages.map(({ visibleAt }) => visibleAt))
        if (next > untilMs || messages.length === 0) break
        nowMs = Math.max(nowMs, next)
        const visible = messages.filter(({ visibleAt }) => visibleAt <= nowMs)
        const [first] = visible
        if (first === undefined) continue
        const batch = visible.filter(({ queue }) => queue === first.queue).slice(0, 10)
        for (const message of batch) {
          message.visibleAt = nowMs + VISIBILITY_MS
          message.receives += 1
        }
        isDead = false
        const { batchItemFailures } = await workerOf(first)({ Records: batch.map(sqsRecord) })
        const isLost = isDead
        isDead = false
        const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
        for (const message of batch) {
          const isDone = !isLost && !failed.has(message.id) && !isDuplicated()
          if (isDone || message.receives >= MAX_RECEIVES) messages.splice(messages.indexOf(message), 1)
        }
      }
      nowMs = Math.max(nowMs, untilMs)
    },

    /**
     * Delivers each message in a separate batch as soon as it is visible, concurrently, while the clock stands still.
     * @returns a function that stops this and waits for the batches in progress
     */
    runConcurrently() {
      const inHand = new Set<Promise<void>>()
      const timer = setInterval(() => {
        for (const message of messages.filter(({ visibleAt }) => visibleAt <= nowMs)) {
          message.visibleAt = nowMs + VISIBILITY_MS
          message.receives += 1
          const work = workerOf(message)({ Records: [sqsRecord(message)] }).then(({ batchItemFailures }) => {
            if (batchItemFailures.length === 0) messages.splice(messages.indexOf(message), 1)
            inHand.delete(work)
          })
          inHand.add(work)
        }
      })
      return async () => {
        clearInterval(timer)
        await Promise.all(inHand)
      }
    },

    /** Loses all messages, like in-memory queues that start empty. */
    async restart() {
      messages.length = 0
      await requeuePending(dependencies, { overdueMs: 0 })
    },

    event: (id: string) => eventRecords.find(eventsTable, APP.id, { id }),
    deliveries: (id: string) => listDeliveries(eventsTable, APP.id, id),
    delivery: (eventId: string, endpointId: string): Promise<Delivery | null> =>
      deliveryRecords.find(eventsTable, APP.id, { eventId, endpointId }),
    endpoint: (id: string) => endpointRecords.find(configTable, APP.id, { id }),
    isNamedPending: (id: string) => eventsTable.items.has(`${pendingKey(id).pk}\n${id}`),
  }
}

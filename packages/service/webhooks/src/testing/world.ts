import { TEST_APP as APP } from "@sealway/accounts/testing"
import { EgressError, type EgressFailure, type PostRequest } from "@sealway/http/egress"
import { createId } from "@sealway/kernel"
import { createTestKeyring } from "@sealway/keys/testing"
import { appPartition } from "@sealway/ports"
import { type Explored, SimulatedService } from "@sealway/ports/testing"
import { type AuditEntry, type EventRecipient, eventKey, type NewEvent, pendingKey } from "@sealway/records"
import { requeuePending } from "../delivery/requeue-pending.ts"
import { createWebhookWorker } from "../delivery/worker.ts"
import type { Delivery } from "../records/delivery-table.ts"
import { deliveryRecords, listDeliveries } from "../records/delivery-table.ts"
import type { WebhookEndpoint } from "../records/webhook-endpoint-table.ts"
import { endpointRecords } from "../records/webhook-endpoint-table.ts"
import { eventRecords } from "../records/webhook-event-table.ts"
import { generateSecret, sealSecret } from "../signing/secret.ts"

/** Long enough to be slow. */
const TIMEOUT_MS = 1_500

/** How a receiver answers: with a status, with a `Retry-After`, or not at all. */
export type Reply = number | { readonly status: number; readonly retryAfter: string } | EgressFailure

export interface WorldOptions {
  /** What happens to workers. Default: nothing. */
  readonly explored?: Explored
  /** Whether each queue has its own worker. Default: no, one does everything. */
  readonly hasLanes?: boolean
}

/** Creates the worker with simulated queues, tables, receivers and a clock, so that days pass instantly. */
export async function createWorld({ explored, hasLanes = false }: WorldOptions = {}) {
  const simulated = new SimulatedService({
    explored,
    workerOf: (queue) => workers[queue === "slow-events" ? "slow" : "quick"],
  })
  const { queues } = simulated
  const wallClock = () => simulated.nowMs
  const eventsTable = simulated.createTable("events")
  const configTable = simulated.createTable("config")
  const posts: (PostRequest & { readonly atMs: number })[] = []
  const audited: AuditEntry[] = []
  const logged: unknown[] = []
  const replies = new Map<string, Reply[]>()

  const keyring = createTestKeyring()
  await keyring.addVersion(APP)
  const dependencies = {
    eventsTable,
    configTable,
    now: wallClock,
    wallClock,
    keyring,
    draws: simulated.draws,
    directory: { app: async (id: string) => (id === APP.id ? APP : null) },
    audit: { record: async (entry: AuditEntry) => void audited.push(entry), async *read() {} },
    queues,
    egress: {
      post: (request: PostRequest) =>
        simulated.ask(`post ${request.url}`, () => {
          posts.push({ ...request, atMs: simulated.nowMs })
          const reply = replies.get(request.url)?.shift() ?? 200
          if (hasLanes && reply === "timeout") simulated.pass(TIMEOUT_MS)
          if (typeof reply === "string") throw new EgressError(reply)
          const { status, retryAfter } =
            typeof reply === "number" ? { status: reply, retryAfter: undefined } : reply
          return { status, headers: retryAfter === undefined ? {} : { "retry-after": retryAfter } }
        }),
    },
    log: { warn: (...told: unknown[]) => void logged.push(told) },
    random: () => 0.5,
  }
  const workers = {
    quick: createWebhookWorker({ ...dependencies, lane: hasLanes ? "quick" : null }),
    slow: createWebhookWorker({ ...dependencies, lane: "slow" }),
  }

  return {
    dependencies,
    eventsTable,
    configTable,
    get messages() {
      return simulated.messages
    },
    get deadLetters() {
      return simulated.deadLetters
    },
    loseMessages: () => simulated.loseMessages(),
    addMessage: (body: string) => simulated.addMessage("events", body),
    posts,
    audited,
    logged,
    now: wallClock,
    setReplies: (url: string, ...next: Reply[]) => replies.set(url, next),

    async addEndpoint(url: string, settings: Partial<WebhookEndpoint> = {}) {
      const id = createId("webhook_endpoint", simulated.nowMs)
      const secret = generateSecret(simulated.draws)
      const endpoint: WebhookEndpoint = {
        id,
        appId: APP.id,
        url,
        events: ["*"],
        description: null,
        status: "enabled",
        secrets: [await sealSecret(dependencies.keyring, APP, id, secret)],
        createdAt: simulated.nowMs,
        updatedAt: simulated.nowMs,
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
      const id = createId("webhook_event", simulated.nowMs)
      const event = { id, teamId: APP.teamId, appId: APP.id, type: "relay.error", data: JSON.stringify(data) }
      const expiresAt = Math.floor(simulated.nowMs / 1000) + 30 * 24 * 60 * 60
      const status = "pending"
      await eventsTable.put(pendingKey(id), { appId: APP.id, expiresAt, revision: 1 })
      await eventsTable.create(eventKey(APP.id, id), {
        ...event,
        callbackUrl,
        recipients: recipients.map((each) => ({ ...each, body: JSON.stringify(each.body) })),
        toEndpoints,
        createdAt: simulated.nowMs,
        status,
        expiresAt,
        revision: 1,
      })
      await queues.send("events", { appId: APP.id, eventId: id })
      return id
    },

    run: (forMs = 48 * 60 * 60_000) => simulated.work(forMs),
    runConcurrently: () => simulated.workConcurrently(),

    /** Loses all messages, like in-memory queues that start empty. */
    async restart() {
      simulated.loseMessages()
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

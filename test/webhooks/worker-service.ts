import { setTimeout as delay } from "node:timers/promises"
import { createHandler, createPlatform, type Platform } from "@sealway/http"
import { createEgress, type EgressOptions } from "@sealway/http/egress"
import { withoutLaterWrites } from "@sealway/http/testing"
import { createCloudClients, ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import { startQueuePoller } from "@sealway/local/testing"
import { createApp, createTeam, issueApiKey } from "@sealway/management"
import { QUEUES, TABLES } from "@sealway/ports"
import { SYSTEM } from "@sealway/records"
import { createWebhookWorker, type RetrySchedule, webhookEndpoints } from "@sealway/webhooks"
import * as z from "zod"
import { LAMBDA_CONTEXT, proxyEvent } from "../support/proxy-event.ts"

/** 8 attempts, a second apart. */
const QUICK: RetrySchedule = { waitsMs: Array(7).fill(1_000), jitter: 0, maxRetryAfterMs: 1_000 }

const withSecretSchema = z.object({ id: z.string(), secret: z.string() })
const eventSchema = z.object({
  id: z.string(),
  status: z.string(),
  deliveries: z.array(
    z.object({
      endpoint: z.string(),
      status: z.string(),
      attempts: z.number(),
      lastStatusCode: z.number().nullable(),
      lastFailure: z.string().nullable(),
    }),
  ),
})
const listSchema = z.object({ data: z.array(z.object({ id: z.string(), status: z.string() })) })

export interface WorkerService extends AsyncDisposable {
  readonly platform: Platform
  createEndpoint(url: string): Promise<{ readonly id: string; readonly secret: string }>
  /** Resolves to the new secret. */
  rotateSecret(id: string, overlapSeconds: number): Promise<string>
  /** Publishes a `relay.error`. @returns its id */
  publish(data: object): Promise<string>
  /** Lets the worker receive the message that delivers an event once more. */
  repeatMessages(eventId: string): Promise<void>
  /** Resolves when no message is in the queue `events`. */
  isIdle(): Promise<void>
  event(id: string): Promise<z.infer<typeof eventSchema>>
  replay(id: string): Promise<void>
  /** Resolves to the bodies of messages in the queue `events-dead-letters` that were not read yet. */
  deadLetters(): Promise<unknown[]>
}

/**
 * Starts the embedded cloud with the endpoints' handlers and the webhook worker, with a quick schedule.
 *
 * @param egress default: private destinations are allowed, and a request may take 500 ms
 */
export async function startWorkerService(egressOptions: Partial<EgressOptions> = {}): Promise<WorkerService> {
  const cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: QUEUES })
  const { configuration, clients } = createCloudClients(cloud)
  await ensureStageKey(cloud)
  const platform = withoutLaterWrites(createPlatform(configuration, clients))
  const team = await createTeam(platform, "Team", SYSTEM)
  const app = await createApp(platform, team.id, { name: "App", environment: "sandbox" }, SYSTEM)
  const wanted = { kind: "sandbox", teamId: team.id, appId: app.id, name: "Key", scopes: ["*"] } as const
  const { key } = await issueApiKey(platform, { ...wanted, expiresAt: null }, SYSTEM)

  const egress = createEgress({ allowPrivate: true, totalTimeoutMs: 500, ...egressOptions })
  const poller = startQueuePoller({
    queue: cloud.queues.queue("events"),
    handler: createWebhookWorker({ ...platform, egress, schedule: QUICK }),
    log: platform.log,
  })

  async function call(endpointId: string, body: object, pathParameters: Record<string, string> = {}) {
    const endpoint = webhookEndpoints.find(({ id }) => id === endpointId)
    if (endpoint === undefined) throw new Error("There is no such endpoint")
    const headers = { "api-key": key, "content-type": "application/json" }
    const { method, path } = endpoint
    const request = proxyEvent({ method, path, pathParameters, headers, body: JSON.stringify(body) })
    const { statusCode = 0, body: answer = "" } = await createHandler(
      endpoint,
      platform,
      platform,
    )(request, LAMBDA_CONTEXT)
    if (statusCode >= 300) throw new Error(`${endpointId} answered ${statusCode}`)
    return JSON.parse(answer)
  }
  const published = async () =>
    listSchema.parse(await call("list-webhook-events", {})).data.map(({ id }) => id)

  return {
    platform,
    createEndpoint: async (url) =>
      withSecretSchema.parse(await call("create-webhook-endpoint", { url, events: ["relay.error"] })),
    async rotateSecret(id, overlapSeconds) {
      const parameters = { webhook_endpoint_id: id }
      return withSecretSchema.parse(await call("rotate-webhook-secret", { overlapSeconds }, parameters))
        .secret
    },
    async publish(data) {
      const before = await published()
      await platform.events.publish({ teamId: team.id, appId: app.id, type: "relay.error", data })
      const [id] = (await published()).filter((each) => !before.includes(each))
      if (id === undefined) throw new Error("The event was not accepted")
      return id
    },
    repeatMessages: (eventId) => platform.queues.send("events", { appId: app.id, eventId }),
    async isIdle() {
      for (;;) {
        const { visible, inFlight } = cloud.queues.queue("events").counts
        if (visible + inFlight === 0) return
        await delay(50)
      }
    },
    event: async (id) => eventSchema.parse(await call("get-webhook-event", {}, { webhook_event_id: id })),
    replay: (id) => call("replay-webhook-event", {}, { webhook_event_id: id }),
    async deadLetters() {
      const letters = await cloud.queues
        .queue("events-dead-letters")
        .receive(10, 0, new AbortController().signal)
      return letters.map(({ message }) => JSON.parse(message.body))
    },
    async [Symbol.asyncDispose]() {
      await poller.close()
      await egress.close()
      clients.destroy()
      await cloud.close()
    },
  }
}

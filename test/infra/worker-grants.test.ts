import type { App } from "@sealway/accounts"
import { createService } from "@sealway/api"
import { createPlatform, type Platform, withoutSmallerParts } from "@sealway/http"
import { EgressError } from "@sealway/http/egress"
import { withoutLaterWrites } from "@sealway/http/testing"
import { sweepHsmKeys } from "@sealway/keys"
import { createCloudClients, type EmbeddedCloud, ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import { createApp, createTeam, issueApiKey } from "@sealway/management"
import { createEnrolmentWorker, requeueEnrolments } from "@sealway/payments"
import { type AwsCall, appPartition, QUEUES, TABLES } from "@sealway/ports"
import { foldStats, SYSTEM } from "@sealway/records"
import { sweepErasures } from "@sealway/subjects"
import { createWebhookWorker, requeuePending, type WorkerDependencies } from "@sealway/webhooks"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import {
  ENROLMENT_SWEEPER_GRANTS,
  ENROLMENT_WORKER_GRANTS,
  ERASURE_SWEEPER_GRANTS,
  HSM_KEY_SWEEPER_GRANTS,
  STATS_FOLDER_GRANTS,
  WEBHOOK_SWEEPER_GRANTS,
  WEBHOOK_WORKER_GRANTS,
} from "../../stacks/workers.ts"
import { prepareBinTable, prepareSubject, prepareTeam } from "../support/endpoint-requests.ts"
import { grantOfCall } from "../support/grant-of-call.ts"
import { MERCHANT } from "../support/payment-requests.ts"
import { LAMBDA_CONTEXT, proxyEvent } from "../support/proxy-event.ts"
import { queueEvent } from "../support/queue-event.ts"
import { withSubjects } from "../support/with-subjects.ts"

const HOUR_MS = 3_600_000
const SILENT = { info() {}, warn() {}, error() {} }
const OVERDUE = { overdueMs: HOUR_MS / 2 }

const idSchema = z.object({ id: z.string() })
const eventsSchema = z.object({ data: z.array(idSchema) })

let cloud: EmbeddedCloud
let calls: AwsCall[] = []

beforeAll(async () => {
  cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: QUEUES })
  await ensureStageKey(cloud)
})
afterAll(() => cloud.close())

/** Starts a process with cold caches whose AWS calls are counted. */
function coldProcess(): Platform {
  const { configuration, clients } = createCloudClients(cloud, { onCall: (call) => calls.push(call) })
  return createPlatform(configuration, clients)
}

/** An app whose one endpoint gets an event that was just published. */
interface PublishedEvent {
  readonly app: App
  readonly endpointId: string
  readonly eventId: string
}

/** @param isDisabled whether the endpoint is disabled before the event is delivered */
async function publish(isDisabled = false): Promise<PublishedEvent> {
  const { configuration, clients } = createCloudClients(cloud)
  const platform = withoutLaterWrites(createPlatform(configuration, clients))
  const team = await createTeam(platform, "Team", SYSTEM)
  const app = await createApp(platform, team.id, { name: "App", environment: "sandbox" }, SYSTEM)
  const { id: endpointId } = idSchema.parse(
    await call(platform, app, "create-webhook-endpoint", {
      url: "https://example.com/",
      events: ["relay.error"],
    }),
  )
  await platform.events.publish({ teamId: team.id, appId: app.id, type: "relay.error", data: {} })
  const [event] = eventsSchema.parse(await call(platform, app, "list-webhook-events", {})).data
  if (event === undefined) throw new Error("The event was not accepted")
  if (isDisabled) {
    const path = { webhook_endpoint_id: endpointId }
    await call(platform, app, "update-webhook-endpoint", { status: "disabled" }, path)
  }
  return { app, endpointId, eventId: event.id }
}

/** Calls an endpoint with all permissions in an app. */
async function call(
  platform: Platform,
  app: App,
  endpointId: string,
  body: object,
  pathParameters: Record<string, string> = {},
): Promise<unknown> {
  const { key } = await issueApiKey(
    platform,
    { kind: "sandbox", teamId: app.teamId, appId: app.id, name: "Key", scopes: ["*"], expiresAt: null },
    SYSTEM,
  )
  const served = createService(platform).endpoints.find(({ endpoint: { id } }) => id === endpointId)
  if (served === undefined) throw new Error(`There is no endpoint ${endpointId}`)
  const { method, path } = served.endpoint
  const headers = { "api-key": key, "content-type": "application/json" }
  const request = proxyEvent({ method, path, pathParameters, headers, body: JSON.stringify(body) })
  const answer = await served.handler(request, LAMBDA_CONTEXT)
  if ((answer.statusCode ?? 500) >= 300) throw new Error(`${endpointId} answers ${answer.statusCode}`)
  return JSON.parse(answer.body ?? "null")
}

/** Lets the worker of a cold process receive a message; receivers answer with a status, or not. */
async function receive(
  message: object,
  reply: number | "timeout",
  changes: Partial<Pick<Platform, "eventsTable" | "log">> & Pick<WorkerDependencies, "lane"> = {},
): Promise<void> {
  const post = async () => {
    if (reply === "timeout") throw new EgressError(reply)
    return { status: reply, headers: {} }
  }
  const egress = { post }
  const worker = createWebhookWorker({ ...coldProcess(), egress, ...changes })
  const { batchItemFailures } = await worker(queueEvent(message))
  const isToFail = changes.eventsTable !== undefined
  expect(batchItemFailures.length).toBe(isToFail ? 1 : 0)
}

const handOut = ({ app, eventId }: PublishedEvent) => ({ appId: app.id, eventId })
const attempt = (published: PublishedEvent) => ({
  ...handOut(published),
  endpointId: published.endpointId,
  attempt: 1,
})

function made(): string[] {
  const names = calls.map(grantOfCall)
  return withoutSmallerParts([...new Set(names)]).sort()
}

describe("the AWS calls of workers and sweepers are exactly those that their roles allow", () => {
  test("in the webhook workers, of both lanes together", async () => {
    const [taken, refused, slow, unwanted] = [
      await publish(),
      await publish(),
      await publish(),
      await publish(true),
    ]
    const quickLane = { lane: "quick" } as const
    calls = []
    await receive(handOut(unwanted), 200, quickLane)
    await receive(handOut(taken), 200, quickLane)
    await receive(attempt(taken), 200, quickLane)
    await receive(handOut(refused), 200, quickLane)
    await receive(attempt(refused), 410, quickLane)
    await receive(handOut(slow), 200, quickLane)
    await receive(attempt(slow), "timeout", quickLane)
    await receive(attempt(slow), 200, { lane: "slow" })
    expect(made()).toEqual([...WEBHOOK_WORKER_GRANTS].sort())
  })

  test("in the webhook sweeper", async () => {
    await publish()
    const pending = await publish()
    const unsettled = await publish()
    await receive(handOut(pending), 200)
    await receive(handOut(unsettled), 200)
    const { eventsTable } = coldProcess()
    const crashing = {
      ...eventsTable,
      get: (key: Parameters<typeof eventsTable.get>[0]) =>
        key.pk.startsWith("webhook-pending#") ? Promise.reject(new Error("crash")) : eventsTable.get(key),
    }
    await receive(attempt(unsettled), 410, { eventsTable: crashing, log: SILENT })
    calls = []
    const platform = coldProcess()
    await requeuePending({ ...platform, wallClock: () => platform.wallClock() + HOUR_MS }, OVERDUE)
    expect(made()).toEqual([...WEBHOOK_SWEEPER_GRANTS].sort())
  })

  test("in the sweeper of keys in KMS", async () => {
    const platform = coldProcess()
    const team = await createTeam(platform, "Team", SYSTEM)
    const app = await createApp(
      platform,
      team.id,
      { name: "App", environment: "sandbox", custody: "hsm" },
      SYSTEM,
    )
    const pk = appPartition(app.id)
    for (const { keyTag: _, ...record } of await platform.keysTable.list(pk, "key-version#")) {
      await platform.keysTable.put({ pk, sk: String(record.sk) }, record)
    }
    calls = []
    const { wallClock, ...sweeping } = coldProcess()
    expect(await sweepHsmKeys({ ...sweeping, wallClock: () => wallClock() + 2 * HOUR_MS })).toBe(1)
    expect(made()).toEqual([...HSM_KEY_SWEEPER_GRANTS].sort())
  })

  test("in the folder of figures", async () => {
    const { stats } = coldProcess()
    stats.count("app_1", { requests: 1 })
    await stats.flush()
    calls = []
    const { wallClock, ...folding } = coldProcess()
    expect(await foldStats({ ...folding, wallClock: () => wallClock() + HOUR_MS })).toBe(1)
    expect(made()).toEqual([...STATS_FOLDER_GRANTS].sort())
  })

  test("in the sweeper of erasures", async () => {
    const { configuration, clients } = createCloudClients(cloud)
    const warm = withoutLaterWrites(createPlatform(configuration, clients))
    const given = await prepareTeam(warm, createService(warm).endpoints)
    const { path } = await prepareSubject(given, 1)
    await given.prepare("delete-data-subject", { path })
    const platform = coldProcess()
    calls = []
    const wallClock = () => platform.wallClock() + 48 * HOUR_MS
    expect(await sweepErasures({ ...platform, wallClock })).toBe(1)
    expect(made()).toEqual([...ERASURE_SWEEPER_GRANTS].sort())
  })

  test("in the enrolment worker and its sweeper", async () => {
    const { app, records } = await addRecords()
    calls = []
    await work(app, records, 0)
    await work(app, records, 10_000)
    expect(withSubjects(made())).toEqual([...ENROLMENT_WORKER_GRANTS].sort())
    // A card that no worker has looked at.
    await addRecords()
    calls = []
    const platform = coldProcess()
    const { paymentsTable } = createService(platform).payments
    const { queues, wallClock, log } = platform
    await requeueEnrolments(
      { paymentsTable, queues, log, wallClock: () => wallClock() + HOUR_MS },
      { overdueMs: HOUR_MS / 2 },
    )
    expect(made()).toEqual([...ENROLMENT_SWEEPER_GRANTS].sort())
  })
})

/** Adds records, some of which are due in a second, and one in two minutes. */
async function addRecords() {
  const { configuration, clients } = createCloudClients(cloud)
  const platform = withoutLaterWrites(createPlatform(configuration, clients))
  const given = await prepareTeam(platform, createService(platform).endpoints, "hsm")
  await given.prepare("create-webhook-endpoint", { body: { url: "https://example.com/", events: ["*"] } })
  await prepareBinTable(given)
  const card = { number: "4000000000006041", expiry: { month: "09", year: "39" } }
  const made = [
    ["merchant", "create-merchant", { ...MERCHANT, applePay: { domains: ["pay.example.com"] } }],
    ["merchant", "create-merchant", { ...MERCHANT, name: "Shop Slow" }],
    ["card", "register-card", card],
  ] as const
  const records = made.map(async ([type, endpoint, body]) => ({
    type,
    id: String((await given.prepare(endpoint, { body })).id),
  }))
  return { app: given.app, records: await Promise.all(records) }
}

/** Lets the worker of a cold process check records, some time later. */
async function work(
  app: App,
  records: readonly { readonly type: string; readonly id: string }[],
  laterMs: number,
): Promise<void> {
  const platform = coldProcess()
  const wallClock = () => platform.wallClock() + laterMs
  const worker = createEnrolmentWorker({ ...createService({ ...platform, wallClock }).payments })
  for (const { type, id } of records) {
    expect(await worker(queueEvent({ type, appId: app.id, id }))).toEqual({ batchItemFailures: [] })
  }
}

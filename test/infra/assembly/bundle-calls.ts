import { randomUUID } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { App } from "@sealway/accounts"
import { serviceEndpoints, writeOpenApiDocument } from "@sealway/api"
import { createPlatform, type Platform } from "@sealway/http"
import { startReceiver } from "@sealway/http/testing"
import {
  BUCKETS,
  createCloudClients,
  type EmbeddedCloud,
  ensureStageKey,
  startEmbeddedCloud,
} from "@sealway/local"
import { createApp, createTeam, issueApiKey } from "@sealway/management"
import { QUEUES } from "@sealway/ports"
import { createEvents, SYSTEM } from "@sealway/records"
import { strToU8, zipSync } from "fflate"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { buildApp } from "../../../stacks/app.ts"
import { startDynalite } from "../../support/dynalite.ts"
import { type ProxyRequest, proxyEvent } from "../../support/proxy-event.ts"
import { queueEvent } from "../../support/queue-event.ts"
import { DASHBOARD_DOMAIN, RELAY_STAGE } from "../made-up-stage.ts"
import { type StageFunctions, startStageFunctions } from "../stage-functions.ts"
import { readStage, stageLike } from "../synthesize-stage.ts"
import { writeAssembly } from "../write-assembly.ts"
import { synthesizedAlone } from "./made-once.ts"

/** With all that adds functions, or variables to their environments. */
const STAGE = stageLike("ada", {
  relay: RELAY_STAGE,
  dashboard: { domain: DASHBOARD_DOMAIN },
  signIn: { issuer: "https://login.example.com", clientId: "sealway", clientSecretArn: null },
})

const answerSchema = z.object({ statusCode: z.number(), body: z.string().default("") })

describe("the functions of the zips", () => {
  let folder: string
  let cloud: EmbeddedCloud
  let platform: Platform
  let app: App
  let apiKey: string
  let functions: StageFunctions
  const closers: (() => unknown)[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sealway-bundle-calls-"))
    closers.push(() => rm(folder, { recursive: true, force: true }))
    const { bundles } = await synthesizedAlone()
    cloud = await startEmbeddedCloud({ dataFolder: null, tables: [], queues: QUEUES, buckets: BUCKETS })
    closers.push(() => cloud.close())
    const dynamodb = await startDynalite()
    closers.push(() => dynamodb.close())
    const { configuration, clients } = createCloudClients(cloud)
    closers.push(() => clients.destroy())
    await ensureStageKey(cloud)
    platform = createPlatform(configuration, { ...clients, openTable: dynamodb.openTable })
    const team = await createTeam(platform, "Team", SYSTEM)
    app = await createApp(platform, team.id, { name: "App", environment: "sandbox" }, SYSTEM)
    const wanted = { kind: "sandbox", teamId: team.id, appId: app.id, name: "Key", scopes: ["*"] } as const
    apiKey = (await issueApiKey(platform, { ...wanted, expiresAt: null }, SYSTEM)).key
    const outFolder = join(folder, "assembly")
    writeAssembly(buildApp({ stage: STAGE, outFolder, bundles }))
    const stage = readStage(outFolder, STAGE.stage)
    functions = await startStageFunctions({
      stage,
      bundles,
      cloud,
      dynamodb,
      configuration,
      folder: join(folder, "functions"),
    })
    closers.push(() => functions[Symbol.asyncDispose]())
  })
  afterAll(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })

  async function call(endpointId: string, request: Partial<ProxyRequest> = {}, key: string | null = apiKey) {
    const endpoint = serviceEndpoints.find(({ id }) => id === endpointId)
    if (endpoint === undefined) throw new Error(`There is no endpoint ${endpointId}`)
    const { method, path } = endpoint
    const headers = {
      "content-type": "application/json",
      "idempotency-key": randomUUID(),
      ...(key !== null && { "api-key": key }),
      ...request.headers,
    }
    const answer = await functions.invoke(endpointId, proxyEvent({ method, path, ...request, headers }))
    return answerSchema.parse(answer)
  }
  async function ask(functionName: string, method: string, path: string) {
    const answer = await functions.invoke(functionName, proxyEvent({ method, path }))
    return z.object({ statusCode: z.number(), headers: z.record(z.string(), z.string()) }).parse(answer)
  }
  const post = (endpointId: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    call(endpointId, { body: JSON.stringify(body), headers })

  /** They are for the service's own pages, and for browsers that come back from an identity provider. */
  const PAGES_OF_MEMBERS = ["sign-out", "use-sign-in-link", "start-oidc-sign-in", "finish-oidc-sign-in"]
  /** They check a signature, or an address that only some are given, in place of credentials: tested elsewhere. */
  const isKnownOtherwise = (id: string, path: string) =>
    PAGES_OF_MEMBERS.includes(id) ||
    id === "receive-connector-event" ||
    /^\/(frontend|sandbox)\/3ds\/|^\/payments\/3ds-results\//.test(path)
  const otherAnswer = expect.toSatisfy((status) => [303, 400, 401, 403, 404, 415].includes(status))

  test("start with the environment of their template, and have a handler", async () => {
    const isEndpoint = (name: string) => serviceEndpoints.some(({ id }) => id === name)
    const others = functions.names.filter((name) => !isEndpoint(name))
    expect(others).toEqual(expect.arrayContaining(["not-found", "relay", "webhook-worker"]))
    for (const name of others) expect({ [name]: await functions.load(name) }).toEqual({ [name]: "function" })
  }, 90_000)

  test("answer a stranger with 401, except where anybody may ask", async () => {
    const pathParameters = { team_id: app.teamId, app_id: app.id, script: "sealway.js" }
    await eachOf(serviceEndpoints, async ({ id, auth, path }) => {
      const contentType = path.endsWith("/rows") ? "application/x-ndjson" : "application/json"
      const { statusCode } = await call(
        id,
        { pathParameters, headers: { "content-type": contentType } },
        null,
      )
      if (isKnownOtherwise(id, path)) expect({ [id]: statusCode }).toEqual({ [id]: otherAnswer })
      else expect({ [id]: statusCode }).toEqual({ [id]: auth.length > 0 ? 401 : 200 })
    })
  }, 300_000)

  test("fail when the role of another function does not allow what they call", async () => {
    const event = proxyEvent({ method: "GET", path: "/team", headers: { "api-key": apiKey } })
    const answer = answerSchema.parse(await functions.invoke("list-api-keys", event, "not-found"))
    expect(answer.statusCode).toBeGreaterThanOrEqual(500)
  })

  test("serve the OpenAPI document as it was when they were built", async () => {
    expect((await call("get-openapi", {}, null)).body).toBe(writeOpenApiDocument())
  })

  test("tell an unknown route from a route that accepts another method", async () => {
    expect(await ask("not-found", "GET", "/nowhere")).toMatchObject({ statusCode: 404 })
    expect(await ask("not-found", "GET", "/encrypt")).toMatchObject({
      statusCode: 405,
      headers: { allow: "POST" },
    })
  })

  test("answer HEAD like GET, and refuse what API Gateway passes to them besides", async () => {
    expect(await ask("health", "HEAD", "/health")).toMatchObject({ statusCode: 200 })
    expect(await ask("health", "DELETE", "/health")).toMatchObject({
      statusCode: 405,
      headers: { allow: "GET, HEAD" },
    })
    expect(await ask("list-data-roles", "PUT", "/data-roles")).toMatchObject({
      statusCode: 405,
      headers: { allow: "GET, HEAD, POST" },
    })
  })

  test("decrypt what was encrypted", async () => {
    const document = { name: "Ada", card: "4242424242424242", tries: 3, tags: ["a", true, null] }
    const encrypted = await post("encrypt", document)
    expect(encrypted).toMatchObject({ statusCode: 200, body: expect.stringContaining("ev:") })
    expect(encrypted.body).not.toContain("Ada")
    const decrypted = await call("decrypt", { body: encrypted.body })
    expect(decrypted).toMatchObject({ statusCode: 200, body: JSON.stringify(document) })
  })

  test("carry an access record from a log to the list", async () => {
    const access = {
      id: "access_01k0000000000000000000000a",
      at: 1_750_000_000_000,
      teamId: app.teamId,
      appId: app.id,
      source: "api",
      actor: { type: "api-key", id: "key_1" },
      apiKeyId: "key_1",
      relayId: null,
      functionName: null,
      enclave: null,
      ip: null,
      requestId: null,
      roles: { pci: 1 },
      withoutRole: 0,
      total: 1,
      reason: null,
      masked: null,
    }
    const batch = { messageType: "DATA_MESSAGE", logEvents: [{ message: JSON.stringify({ access }) }] }
    const event = { awslogs: { data: gzipSync(JSON.stringify(batch)).toString("base64") } }
    for (const each of [event, queueEvent({ requestPayload: event })]) {
      expect(await functions.invoke("access-writer", each)).toEqual({ batchItemFailures: [] })
    }
    const listed = await call("list-access-logs", { queryStringParameters: { role: "pci" } })
    expect(JSON.parse(listed.body)).toMatchObject({ data: [access], hasMore: false })
    await expect(functions.invoke("access-writer", { awslogs: { data: "AA==" } })).rejects.toThrow(
      "What the log handed over cannot be read",
    )
  })

  test("decide on data roles with the Cedar next to them", async () => {
    for (const [slug, sources] of Object.entries({ open: ["api"], closed: ["relay"] })) {
      expect(await post("create-data-role", { slug, name: slug })).toMatchObject({ statusCode: 201 })
      const policy = { name: slug, effect: "permit", roles: [slug], conditions: { sources } }
      expect(await post("create-data-policy", policy)).toMatchObject({ statusCode: 201 })
    }
    const seal = async (role: string) => {
      const sealed = await post("encrypt", "secret", { "x-service-data-role": role })
      expect(sealed.statusCode).toBe(200)
      return sealed.body
    }
    const permitted = await call("decrypt", { body: await seal("open") })
    expect(permitted).toMatchObject({ statusCode: 200, body: '"secret"' })
    const refused = await call("decrypt", { body: await seal("closed") })
    expect(refused.statusCode).toBe(403)
    expect(JSON.parse(refused.body)).toMatchObject({ code: "decrypt/forbidden" })
  })

  test("deliver an event, message by message, and report the messages that cannot be processed", async () => {
    await using receiver = await startReceiver((_, response) => response.writeHead(204).end())
    const created = await post("create-webhook-endpoint", { url: receiver.url, events: ["audit-log.event"] })
    const { id: endpointId } = idSchema.parse(JSON.parse(created.body))
    const tested = await call("test-webhook-endpoint", {
      pathParameters: { webhook_endpoint_id: endpointId },
    })
    const { id: eventId } = idSchema.parse(JSON.parse(tested.body))
    const event = { appId: app.id, eventId }
    for (const message of [event, { ...event, endpointId, attempt: 1 }]) {
      const answer = await functions.invoke("webhook-worker", queueEvent(message))
      expect(answer).toEqual({ batchItemFailures: [] })
    }
    expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual([eventId])
    expect(await functions.invoke("webhook-worker", queueEvent({ unknown: true }))).toEqual({
      batchItemFailures: [{ itemIdentifier: "message-1" }],
    })
  })

  test("queue again what was accepted half an hour ago and is not delivered", async () => {
    const publishAt = async (wallClock: () => number) => {
      const events = createEvents({ ...platform, wallClock })
      // To an address where nothing listens, so that no endpoint needs to be subscribed.
      const callbackUrl = "http://127.0.0.1:9/"
      await events.publish({ teamId: app.teamId, appId: app.id, type: "relay.error", data: {}, callbackUrl })
    }
    const minutesAgo = (minutes: number) => () => platform.wallClock() - minutes * 60_000
    await publishAt(minutesAgo(31))
    await publishAt(minutesAgo(29))
    const [lost, recent] = await receiveEventIds()
    expect(await functions.invoke("webhook-sweeper", { "detail-type": "Scheduled Event" })).toBe(undefined)
    expect([await receiveEventIds(), recent]).toEqual([[lost], expect.any(String)])
  })

  test("deploy a function, and run it", async () => {
    const source = "export const handler = ({ n }) => ({ twice: n * 2 })"
    const code = Buffer.from(zipSync({ "index.mjs": strToU8(source) })).toString("base64")
    const deployed = await post("deploy-function", {
      name: "double",
      language: "node@24",
      handler: "index.mjs",
      code,
    })
    expect(deployed).toMatchObject({ statusCode: 202, body: expect.stringContaining("deploying") })
    const { id } = idSchema.parse(JSON.parse(deployed.body))
    const work = { kind: "function", id, appId: app.id, functionName: "double" }
    expect(await functions.invoke("function-run-worker", queueEvent(work))).toEqual({ batchItemFailures: [] })
    const run = await call("run-function", {
      pathParameters: { function_name: "double" },
      body: JSON.stringify({ payload: { n: 21 } }),
    })
    expect(run).toMatchObject({ statusCode: 200, body: expect.stringContaining('{"twice":42}') })
    expect(await functions.invoke("function-run-worker", queueEvent({ unknown: true }))).toEqual({
      batchItemFailures: [{ itemIdentifier: "message-1" }],
    })
  })

  test("queue again a deployment that was accepted half an hour ago and is not finished", async () => {
    await receiveMessages("function-runs")
    const pend = (id: string, minutes: number) => {
      const namedAt = platform.wallClock() - minutes * 60_000
      const work = { kind: "function", id, appId: app.id, functionName: "lost" }
      const expiresAt = Math.floor(namedAt / 1000) + 86_400
      const item = { work, namedAt, revision: 1, expiresAt }
      return platform.runsTable?.put({ pk: "function-pending#0", sk: id }, item)
    }
    await pend("func_00000000000000000000000000", 31)
    await pend("func_00000000000000000000000001", 29)
    expect(await functions.invoke("function-sweeper", { "detail-type": "Scheduled Event" })).toBe(undefined)
    expect(await receiveMessages("function-runs")).toEqual([
      { kind: "function", id: "func_00000000000000000000000000", appId: app.id, functionName: "lost" },
    ])
  })

  /** Receives the ids of events to be delivered, in the order in which they were created. */
  async function receiveEventIds(): Promise<string[]> {
    const messages = await receiveMessages("events")
    return messages.map((message) => messageSchema.parse(message).eventId).sort()
  }

  /** Receives all messages of a queue. */
  async function receiveMessages(queue: string): Promise<unknown[]> {
    const found: unknown[] = []
    for (;;) {
      const deliveries = await cloud.queues.queue(queue).receive(10, 0, new AbortController().signal)
      if (deliveries.length === 0) break
      found.push(...deliveries.map(({ message }): unknown => JSON.parse(message.body)))
    }
    return found
  }
})

/** Runs work for each of many at once as the machine has processors: each starts a process. */
async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items.values()
  const runWaiting = async () => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: availableParallelism() }, runWaiting))
}

const idSchema = z.object({ id: z.string() })
const messageSchema = z.object({ eventId: z.string() })

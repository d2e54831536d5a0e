import { randomUUID } from "node:crypto"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ReceiveMessageCommand } from "@aws-sdk/client-sqs"
import { serviceEndpoints, writeOpenApiDocument } from "@sealway/api"
import { createCloudClients, type EmbeddedCloud, ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import { createApp, createTeam, issueApiKey } from "@sealway/management"
import {
  type App,
  createEvents,
  createPlatform,
  type Platform,
  QUEUES,
  SYSTEM,
  TABLES,
} from "@sealway/platform"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { startReceiver } from "../../packages/platform/src/egress/testing/receiver.ts"
import { bundleFunctions } from "../../stacks/bundles/bundle-functions.ts"
import type { FunctionBundle } from "../../stacks/bundles/function-bundle.ts"
import { type ProxyRequest, proxyEvent } from "../support/proxy-event.ts"
import { queueEvent } from "../support/queue-event.ts"
import { type BundledFunctions, lambdaEnvironment, startBundledFunctions } from "./bundled-functions.ts"
import { foundationsOf } from "./foundations.ts"
import { readZip } from "./unpack-zip.ts"

/** The functions that answer no endpoint. */
const OTHERS = ["not-found", "webhook-sweeper", "webhook-worker"]
const CEDAR = ["cedar/cedar_wasm.cjs", "cedar/cedar_wasm_bg.wasm"]
/** Unpacked, without Cedar. The worker speaks to the outside, and brings an HTTP client for it. */
const MAX_CODE_BYTES = 700_000
const MAX_WORKER_CODE_BYTES = 1_400_000

const answerSchema = z.object({ statusCode: z.number(), body: z.string().default("") })

let folder: string
let bundles: readonly FunctionBundle[]
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealway-bundles-"))
  bundles = await bundleFunctions(join(folder, "zips"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe("the bundles", () => {
  test("are one for each endpoint, and one for each of the other functions", () => {
    const names = [...serviceEndpoints.map(({ id }) => id), ...OTHERS].sort()
    expect(bundles.map(({ functionName }) => functionName)).toEqual(names)
  })

  test("are the same bytes when they are made again", async () => {
    const again = await bundleFunctions(join(folder, "again"))
    for (const [index, { functionName, zipPath }] of again.entries()) {
      const isSame = (await readFile(zipPath)).equals(await readFile(bundles[index]?.zipPath ?? ""))
      expect({ [functionName]: isSame }).toEqual({ [functionName]: true })
    }
  })

  test("hold code, Cedar beside it where policies are met, and nothing else", async () => {
    for (const { functionName, zipPath, bytes, sources } of bundles) {
      const entries = readZip(await readFile(zipPath))
      const meetsPolicies = sources.includes("packages/policies/src/cedar/cedar.ts")
      const paths = [...(meetsPolicies ? CEDAR : []), "index.mjs"]
      expect({ [functionName]: entries.map(({ path }) => path) }).toEqual({ [functionName]: paths })
      expect(entries.reduce((sum, { content }) => sum + content.length, 0)).toBe(bytes)
      expect(new Set(entries.map(({ mode }) => mode))).toEqual(new Set([0o644]))
      expect(new Set(entries.map(({ modified }) => modified.join()))).toEqual(new Set(["33,0"]))
    }
    const withCedar = bundles.filter(({ sources }) =>
      sources.includes("packages/policies/src/cedar/cedar.ts"),
    )
    expect(withCedar.map(({ functionName }) => functionName)).toEqual(
      expect.arrayContaining(["decrypt", "create-data-policy", "simulate-data-policies"]),
    )
  })

  test("stay small", async () => {
    for (const { functionName, zipPath } of bundles) {
      const code = readZip(await readFile(zipPath)).find(({ path }) => path === "index.mjs")
      const maxBytes = functionName === "webhook-worker" ? MAX_WORKER_CODE_BYTES : MAX_CODE_BYTES
      expect(code?.content.length, functionName).toBeLessThan(maxBytes)
    }
  })

  test("are of the packages and libraries that the service stands on, and of no test", async () => {
    const { packages, libraries } = await foundationsOf("api")
    expect([...packages]).toEqual(expect.arrayContaining(["api", "vault", "platform", "tokens"]))
    expect(libraries).toContain("zod")
    for (const stranger of ["cli", "local", "dashboard"]) expect(packages).not.toContain(stranger)
    for (const stranger of ["aws-cdk-lib", "constructs", "dynalite", "vitest", "esbuild"]) {
      expect(libraries).not.toContain(stranger)
    }
    for (const { functionName, sources } of bundles) {
      const strangers = sources.filter((source) => {
        const library = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1]
        if (library !== undefined) return !libraries.has(library)
        const name = /^packages\/([^/]+)\/(?:src\/|package\.json$)/.exec(source)?.[1] ?? ""
        return !packages.has(name) || /\.test\.ts$|\/testing\//.test(source)
      })
      expect({ [functionName]: strangers }).toEqual({ [functionName]: [] })
    }
  })

  test("hold one endpoint each", async () => {
    const ids = new Set(serviceEndpoints.map(({ id }) => id))
    for (const { functionName, sources } of bundles) {
      const endpoints = sources.flatMap((source) => {
        const id = /\/endpoints\/([^/]+)\.ts$/.exec(source)?.[1] ?? ""
        return ids.has(id) || id === "index" ? [id] : []
      })
      // One file declares both.
      const own = functionName === "inspect" ? ["fingerprint"] : ids.has(functionName) ? [functionName] : []
      expect({ [functionName]: endpoints }).toEqual({ [functionName]: own })
    }
  })
})

describe("the functions of the zips", () => {
  let cloud: EmbeddedCloud
  let platform: Platform
  let app: App
  let apiKey: string
  let functions: BundledFunctions
  const closers: (() => unknown)[] = []

  beforeAll(async () => {
    cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: QUEUES })
    closers.push(() => cloud.close())
    const { configuration, clients } = createCloudClients(cloud)
    closers.push(() => [clients.dynamodb, clients.kms, clients.sqs].map((client) => client.destroy()))
    await ensureStageKey(clients.kms)
    platform = createPlatform(configuration, clients)
    const team = await createTeam(platform, "Team", SYSTEM)
    app = await createApp(platform, team.id, { name: "App", environment: "sandbox" }, SYSTEM)
    const wanted = { kind: "sandbox", teamId: team.id, appId: app.id, name: "Key", scopes: ["*"] } as const
    apiKey = (await issueApiKey(platform, { ...wanted, expiresAt: null }, SYSTEM)).key
    functions = await startBundledFunctions(
      bundles,
      join(folder, "functions"),
      lambdaEnvironment(cloud, configuration),
    )
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
  const post = (endpointId: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    call(endpointId, { body: JSON.stringify(body), headers })

  test("answer a stranger: 401, but where anybody may ask", async () => {
    const pathParameters = { team_id: app.teamId, app_id: app.id }
    for (const { id, auth } of serviceEndpoints) {
      const { statusCode } = await call(id, { pathParameters }, null)
      expect({ [id]: statusCode }).toEqual({ [id]: auth.length > 0 ? 401 : 200 })
    }
  })

  test("serve the OpenAPI document that there was when they were made", async () => {
    expect((await call("get-openapi", {}, null)).body).toBe(writeOpenApiDocument())
  })

  test("tell what no route is for from a route that takes another method", async () => {
    const ask = async (method: string, path: string) => {
      const answer = await functions.invoke("not-found", proxyEvent({ method, path }))
      return z.object({ statusCode: z.number(), headers: z.record(z.string(), z.string()) }).parse(answer)
    }
    expect(await ask("GET", "/nowhere")).toMatchObject({ statusCode: 404 })
    expect(await ask("GET", "/encrypt")).toMatchObject({ statusCode: 405, headers: { allow: "POST" } })
  })

  test("decrypt what was encrypted", async () => {
    const document = { name: "Ada", card: "4242424242424242", tries: 3, tags: ["a", true, null] }
    const encrypted = await post("encrypt", document)
    expect(encrypted).toMatchObject({ statusCode: 200, body: expect.stringContaining("ev:") })
    expect(encrypted.body).not.toContain("Ada")
    const decrypted = await call("decrypt", { body: encrypted.body })
    expect(decrypted).toMatchObject({ statusCode: 200, body: JSON.stringify(document) })
  })

  test("decide on data roles with the Cedar beside them", async () => {
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

  test("deliver an event, message by message, and report the messages that cannot be worked on", async () => {
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
      // To an address where nobody listens, so that no endpoint needs to be subscribed.
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

  /** Ids of events that are to be handed out, from the queue, in the order in which they were made. */
  async function receiveEventIds(): Promise<string[]> {
    const { sqs } = createCloudClients(cloud).clients
    const found: string[] = []
    for (;;) {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({ QueueUrl: cloud.queueUrls.get("events"), MaxNumberOfMessages: 10 }),
      )
      if (Messages.length === 0) break
      found.push(...Messages.map(({ Body = "" }) => messageSchema.parse(JSON.parse(Body)).eventId))
    }
    sqs.destroy()
    return found.sort()
  }
})

const idSchema = z.object({ id: z.string() })
const messageSchema = z.object({ eventId: z.string() })

import type { App } from "@sealway/accounts"
import { createService } from "@sealway/api"
import { createRunWorker, requeueFunctionWork } from "@sealway/functions"
import { createPlatform, type Platform, withoutSmallerParts } from "@sealway/http"
import { withoutLaterWrites } from "@sealway/http/testing"
import {
  BUCKETS,
  createCloudClients,
  type EmbeddedCloud,
  ensureStageKey,
  startEmbeddedCloud,
} from "@sealway/local"
import { createApp, createTeam, issueApiKey } from "@sealway/management"
import { type AwsCall, appPartition, QUEUES, TABLES } from "@sealway/ports"
import { SYSTEM } from "@sealway/records"
import { strToU8, zipSync } from "fflate"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { FUNCTION_RUN_WORKER_GRANTS, FUNCTION_SWEEPER_GRANTS } from "../../stacks/functions.ts"
import { grantOfCall } from "../support/grant-of-call.ts"
import { LAMBDA_CONTEXT, proxyEvent } from "../support/proxy-event.ts"
import { queueEvent } from "../support/queue-event.ts"
import { withSubjects } from "../support/with-subjects.ts"

const DAY_MS = 86_400_000
const FUNCTION = {
  name: "echo",
  language: "node@24",
  handler: "index.mjs",
  code: Buffer.from(zipSync({ "index.mjs": strToU8("export const handler = () => 1") })).toString("base64"),
}
const PATH = { function_name: FUNCTION.name }
/** What the worker's role allows in statements of its own. */
const STATED = [
  "lambda:CreateFunction",
  "lambda:DeleteFunction",
  "lambda:GetFunctionConfiguration",
  "logs:CreateLogGroup",
  "logs:DeleteLogGroup",
  "logs:PutRetentionPolicy",
  "s3:GetObject",
]

const idSchema = z.object({ id: z.string() })

let cloud: EmbeddedCloud
let app: App
let apiKey: string
let calls: AwsCall[] = []

beforeAll(async () => {
  const buckets = BUCKETS
  cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: QUEUES, buckets })
  await ensureStageKey(cloud)
  const platform = startProcess()
  const team = await createTeam(platform, "Team", SYSTEM)
  app = await createApp(platform, team.id, { name: "App", environment: "sandbox", custody: "hsm" }, SYSTEM)
  const wanted = { kind: "sandbox", teamId: team.id, appId: app.id, name: "Key", scopes: ["*"] } as const
  apiKey = (await issueApiKey(platform, { ...wanted, expiresAt: null }, SYSTEM)).key
})
afterAll(() => cloud.close())

/** Starts a process with cold caches. */
function startProcess(onCall: (call: AwsCall) => void = () => undefined): Platform {
  const { configuration, clients } = createCloudClients(cloud, { onCall })
  return withoutLaterWrites(createPlatform(configuration, clients))
}

/** Starts one whose AWS calls are counted, some time later. */
function startCountedProcess(laterMs: number): Platform {
  const platform = startProcess((call) => calls.push(call))
  return { ...platform, wallClock: () => platform.wallClock() + laterMs }
}

async function call(id: string, body: unknown, headers: object = {}, pathParameters = {}) {
  const found = createService(startProcess()).endpoints.find(({ endpoint }) => endpoint.id === id)
  if (found === undefined) throw new Error(`There is no endpoint ${id}`)
  const { method, path } = found.endpoint
  const request = proxyEvent({
    method,
    path,
    pathParameters,
    headers: { "api-key": apiKey, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  })
  const {
    statusCode = 500,
    headers: answered = {},
    body: text = "",
  } = await found.handler(request, LAMBDA_CONTEXT)
  if (statusCode >= 300) throw new Error(`${id} answers ${statusCode}: ${text}`)
  return { location: String(answered.location), text }
}

/** Deploys the function, or accepts its next deployment. @returns the content of its message */
async function deploy() {
  const { id } = idSchema.parse(JSON.parse((await call("deploy-function", FUNCTION)).text))
  return { kind: "function", id, appId: app.id, functionName: FUNCTION.name }
}

/** Schedules a run of a value that is sealed with a data role. @returns the content of its message */
async function schedule(functionId: string, role: string) {
  const { text } = await call("encrypt", "4242", { "x-service-data-role": role })
  const card: unknown = JSON.parse(text)
  const { location } = await call("run-function", { payload: { card }, async: true }, {}, PATH)
  return { kind: "run", id: location.split("/").at(-1) ?? "", appId: app.id, functionId }
}

/** Lets the worker of a cold process receive a message. */
async function receive(message: object, laterMs = 0): Promise<void> {
  const worker = createRunWorker(createService(startCountedProcess(laterMs)).functions)
  expect(await worker(queueEvent(message))).toEqual({ batchItemFailures: [] })
}

function made(): string[] {
  const names = calls.map(grantOfCall)
  return withoutSmallerParts([...new Set(names)]).sort()
}

describe("the AWS calls of what works on functions are exactly those that its role allows", () => {
  test("in the sweeper", async () => {
    const { id } = await deploy()
    await receive({ kind: "function", id, appId: app.id, functionName: FUNCTION.name })
    await call("create-data-role", { slug: "lost", name: "Lost" })
    await schedule(id, "lost")
    calls = []
    const { runsTable, queues, wallClock, log } = startCountedProcess(DAY_MS)
    if (runsTable === null) throw new Error("There is no table of runs")
    await requeueFunctionWork({ runsTable, queues, wallClock, log }, { overdueMs: DAY_MS / 48 })
    expect(made()).toEqual([...FUNCTION_SWEEPER_GRANTS].sort())
  })

  test("in the worker", async () => {
    await call("create-webhook-endpoint", { url: "https://example.com/", events: ["*"] })
    for (const slug of ["pci", "other"]) await call("create-data-role", { slug, name: slug })
    const conditions = { budget: { values: 10, per: "hour" } }
    await call("create-data-policy", { name: "Few", effect: "permit", roles: ["pci"], conditions })
    calls = []
    const work = await deploy()
    await receive(work)
    await receive(await schedule(work.id, "pci"))
    await receive(await schedule(work.id, "other"))
    const begun = await schedule(work.id, "pci")
    await markAsBegunOften(begun.id, work.id)
    await receive(begun)
    await receive(await deploy())
    await call("delete-function", undefined, {}, PATH)
    await receive(work, DAY_MS)
    expect(withSubjects(made())).toEqual([...FUNCTION_RUN_WORKER_GRANTS, ...STATED].sort())
  })
})

/** Writes a run as if the processes of all its attempts had died. */
async function markAsBegunOften(runId: string, functionId: string): Promise<void> {
  const { runsTable } = startProcess()
  const key = { pk: appPartition(app.id), sk: `function-run#${functionId}#${runId}` }
  const run = await runsTable?.get(key)
  expect(await runsTable?.replace(key, { ...run, attempts: 6 }, Number(run?.revision))).toBe(true)
}

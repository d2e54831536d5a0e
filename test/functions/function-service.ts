import { setTimeout as delay } from "node:timers/promises"
import type { App, Scope } from "@sealway/accounts"
import {
  createFunctionDependencies,
  createRunWorker,
  functionEndpoints,
  type RunLimits,
  requeueFunctionWork,
} from "@sealway/functions"
import { createMemoryHost } from "@sealway/functions/testing"
import { honeyEndpoints } from "@sealway/honey"
import { createHandler, createPlatform, type Endpoint, type EndpointHandler } from "@sealway/http"
import { withoutLaterWrites } from "@sealway/http/testing"
import { type ApiErrorCode, PROBLEMS } from "@sealway/kernel"
import { createCloudClients, ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import { startQueuePoller } from "@sealway/local/testing"
import { createApp, createTeam, issueApiKey } from "@sealway/management"
import { createDataRoles, createPolicyDependencies, policyEndpoints } from "@sealway/policies"
import { QUEUES, RUNS_TABLE, TABLES } from "@sealway/ports"
import { SYSTEM } from "@sealway/records"
import { vaultEndpoints } from "@sealway/vault"
import { webhookEndpoints } from "@sealway/webhooks"
import { strToU8, zipSync } from "fflate"
import { expect } from "vitest"
import { LAMBDA_CONTEXT, proxyEvent } from "../support/proxy-event.ts"

export const CODE = Buffer.from(
  zipSync({ "index.mjs": strToU8("export const handler = () => 1"), "main.py": strToU8("") }),
).toString("base64")

export interface FunctionAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly json: unknown
}

export interface FunctionRequest {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** Text is sent unchanged; anything else as JSON. */
  readonly body?: unknown
  /** Default: a key of the app with all scopes. */
  readonly key?: string | null
}

export function expectProblem({ status, json, headers }: FunctionAnswer, code: ApiErrorCode): void {
  expect({ status, json }).toMatchObject({ status: PROBLEMS[code].api, json: { code } })
  expect(headers["content-type"]).toBe("application/problem+json")
}

/**
 * Starts the embedded cloud with the handlers and the worker of functions. Only the host of programs is a fake.
 *
 * @param runLimits default: more than a test has
 */
export async function startFunctionService(runLimits: RunLimits = { perApp: 100, perStage: 100 }) {
  const cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: QUEUES })
  const { configuration, clients } = createCloudClients(cloud)
  await ensureStageKey(cloud)
  const platform = withoutLaterWrites(createPlatform(configuration, clients))
  const team = await createTeam(platform, "Team", SYSTEM)
  const app = await createApp(platform, team.id, { name: "App", environment: "sandbox" }, SYSTEM)
  const newKey = async (scopes: readonly (Scope | "*")[], owner: App = app) => {
    const wanted = { kind: "sandbox", teamId: team.id, appId: owner.id, name: "Key", scopes } as const
    return (await issueApiKey(platform, { ...wanted, expiresAt: null }, SYSTEM)).key
  }
  const key = await newKey(["*"])

  const memoryHost = createMemoryHost()
  const stored = new Map<string, Uint8Array>()
  const dataRoles = createDataRoles(platform)
  const runsTable = clients.openTable(RUNS_TABLE.name, platform.wallClock)
  const dependencies = createFunctionDependencies(
    { ...platform, runsTable, runLimits },
    {
      dataRoles,
      host: memoryHost.host,
      code: {
        put: async (name, zip) => void stored.set(name, zip),
        get: async (name) => stored.get(name) ?? null,
        remove: async (name) => void stored.delete(name),
      },
    },
  )
  const poller = startQueuePoller({
    queue: cloud.queues.queue("function-runs"),
    handler: createRunWorker(dependencies),
    log: platform.log,
  })

  const served = <Dependencies>(endpoints: readonly Endpoint<Dependencies>[], needs: Dependencies) =>
    endpoints.map((endpoint) => ({ endpoint, handler: createHandler(endpoint, needs, platform) }))
  const handlers = [
    ...served(functionEndpoints, dependencies),
    ...served(vaultEndpoints, { ...platform, dataRoles }),
    ...served(policyEndpoints, createPolicyDependencies(platform, dataRoles)),
    ...served(webhookEndpoints, platform),
    ...served(honeyEndpoints, { ...platform, dataRoles }),
  ]

  function call(id: string, asked: FunctionRequest = {}) {
    const found = handlers.find(({ endpoint }) => endpoint.id === id)
    if (found === undefined) throw new Error(`There is no endpoint ${id}`)
    return ask(found, asked)
  }

  async function ask(
    { endpoint, handler }: { readonly endpoint: Endpoint<never>; readonly handler: EndpointHandler },
    { path = {}, query, headers = {}, body, key: with_ = key }: FunctionRequest,
  ) {
    const { method, path: template } = endpoint
    const request = proxyEvent({
      method,
      path: template,
      pathParameters: path,
      ...(query && { queryStringParameters: query }),
      headers: {
        "content-type": "application/json",
        ...(with_ !== null && { "api-key": with_ }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    })
    const { statusCode = 0, headers: answered = {}, body: text = "" } = await handler(request, LAMBDA_CONTEXT)
    const json: unknown = text === "" ? undefined : JSON.parse(text)
    const names = Object.entries(answered).map(([name, value]) => [name, String(value)])
    return { status: statusCode, headers: Object.fromEntries(names), text, json } satisfies FunctionAnswer
  }

  const deploy = (name: string, changes: object = {}) =>
    call("deploy-function", {
      body: { name, language: "node@24", handler: "index.mjs", code: CODE, ...changes },
    })

  return {
    ...memoryHost,
    dependencies,
    app,
    team,
    platform,
    runsTable,
    stored,
    newKey,
    call,
    deploy,
    /** Opens the same endpoint for runs in a process with empty caches. */
    async anotherProcess() {
      const other = withoutLaterWrites(createPlatform(configuration, clients))
      const endpoint = functionEndpoints.find(({ id }) => id === "run-function")
      if (endpoint === undefined) throw new Error("There is no endpoint for runs")
      const handler = createHandler(endpoint, dependencies, other)
      return {
        run: (name: string, body: unknown, asked: FunctionRequest = {}) =>
          ask({ endpoint, handler }, { path: { function_name: name }, body, ...asked }),
      }
    },
    requeue: () => requeueFunctionWork(dependencies, { overdueMs: 0 }),
    /** Resolves to a function once it is no longer deploying. */
    async settled(name: string): Promise<unknown> {
      for (;;) {
        const { json } = await call("get-function", { path: { function_name: name } })
        const isSettled =
          typeof json === "object" && json !== null && "status" in json && json.status !== "deploying"
        if (isSettled) return json
        await delay(20)
      }
    },
    run: (name: string, body: unknown, asked: FunctionRequest = {}) =>
      call("run-function", { path: { function_name: name }, body, ...asked }),
    async [Symbol.asyncDispose]() {
      await poller.close()
      clients.destroy()
      await cloud.close()
    },
  }
}

export type FunctionService = Awaited<ReturnType<typeof startFunctionService>>

import { randomUUID } from "node:crypto"
import { createService, type ServedEndpoint } from "@sealway/api"
import { createCloudClients, type EmbeddedCloud, ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import { createApp, createTeam, issueApiKey } from "@sealway/management"
import {
  type App,
  type AwsCall,
  appPartition,
  createId,
  createPlatform,
  grantsOf,
  type Platform,
  QUEUES,
  SYSTEM,
  TABLES,
  type Team,
} from "@sealway/platform"
import { afterAll, beforeAll, expect, test } from "vitest"
import { LAMBDA_CONTEXT, proxyEvent } from "./support/proxy-event.ts"

/** What is there before a request: made by another process, so that nothing of it is warm. */
interface Given {
  readonly team: Team
  readonly app: App
  readonly teamKey: string
  readonly apiKey: string
  readonly apiKeyId: string
  /** Sends a request to that other process. @returns the JSON of the answer */
  prepare(endpointId: string, request: Request): Promise<Record<string, string>>
}

interface Request {
  readonly auth?: "app" | "team" | "nobody"
  readonly path?: Readonly<Record<string, string>>
  readonly body?: unknown
}

const APP_KEY = { name: "Another", scopes: ["api:decrypt"] }

/** One request of each endpoint that does all that the endpoint does. */
const REQUESTS: Record<string, (given: Given) => Request | Promise<Request>> = {
  health: () => ({ auth: "nobody" }),
  "get-openapi": () => ({ auth: "nobody" }),
  encrypt: () => ({ body: "x" }),
  decrypt: async (given) => ({ body: await sealed(given) }),
  fingerprint: async (given) => ({ body: { token: await sealed(given) } }),
  inspect: async (given) => ({ body: { token: await sealed(given) } }),
  rewrap: async (given) => ({ body: await sealed(given) }),
  "get-keys": () => ({}),
  "get-app-keys": ({ app }) => ({ auth: "nobody", path: { team_id: app.teamId, app_id: app.id } }),
  "rotate-keys": ({ app }) => ({ auth: "team", path: { app_id: app.id } }),
  "get-team": () => ({ auth: "team" }),
  "update-team": () => ({ auth: "team", body: { name: "Renamed" } }),
  "create-team-key": () => ({ auth: "team", body: { name: "Another" } }),
  "list-team-keys": () => ({ auth: "team" }),
  "revoke-team-key": async (given) => {
    const { id } = await given.prepare("create-team-key", { auth: "team", body: { name: "Another" } })
    return { auth: "team", path: { key_id: String(id) } }
  },
  "create-app": () => ({ auth: "team", body: { name: "Another", environment: "sandbox" } }),
  "list-apps": () => ({ auth: "team" }),
  "get-app": ({ app }) => ({ auth: "team", path: { app_id: app.id } }),
  "update-app": ({ app }) => ({ auth: "team", path: { app_id: app.id }, body: { name: "Renamed" } }),
  "create-api-key": ({ app }) => ({ auth: "team", path: { app_id: app.id }, body: APP_KEY }),
  "list-api-keys": ({ app }) => ({ auth: "team", path: { app_id: app.id } }),
  "rotate-api-key": ({ app, apiKeyId }) => ({
    auth: "team",
    path: { app_id: app.id, key_id: apiKeyId },
    body: {},
  }),
  "revoke-api-key": ({ app, apiKeyId }) => ({ auth: "team", path: { app_id: app.id, key_id: apiKeyId } }),
  "list-audit-logs": () => ({ auth: "team" }),
}

let cloud: EmbeddedCloud
let calls: AwsCall[] = []

beforeAll(async () => {
  cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: QUEUES })
  const { clients } = createCloudClients(cloud)
  await ensureStageKey(clients.kms)
})
afterAll(() => cloud.close())

function newProcess(onCall?: (call: AwsCall) => void): Platform {
  const { configuration, clients } = createCloudClients(cloud, onCall && { onCall })
  return createPlatform(configuration, clients)
}

test("the AWS calls of a cold request, and of its repetition, are those that its endpoint may make, neither more nor fewer", async () => {
  const other = newProcess()
  const others = createService(other)
  for (const { endpoint } of others) {
    const request = REQUESTS[endpoint.id]
    if (request === undefined) throw new Error(`No request tries ${endpoint.id}`)
    const given = await prepareTeam(other, others)
    const wanted = await request(given)
    const idempotencyKey = randomUUID()
    calls = []
    for (const served of [1, 2].map(() => createService(newProcess((call) => calls.push(call))))) {
      const { statusCode } = await send(served, endpoint.id, given, wanted, idempotencyKey)
      expect({ [endpoint.id]: statusCode }).toEqual({ [endpoint.id]: endpoint.status })
    }
    const made = [...new Set(calls.map(named))].sort()
    expect({ [endpoint.id]: made }).toEqual({ [endpoint.id]: grantsOf(endpoint) })
  }
})

async function prepareTeam(platform: Platform, served: readonly ServedEndpoint[]): Promise<Given> {
  const team = await createTeam(platform, "Team", SYSTEM)
  const app = await createApp(platform, team.id, { name: "App", environment: "sandbox" }, SYSTEM)
  const owner = { teamId: team.id, name: "Key", expiresAt: null }
  const appKey = await issueApiKey(
    platform,
    { ...owner, kind: "sandbox", appId: app.id, scopes: ["*"] },
    SYSTEM,
  )
  const teamKey = await issueApiKey(platform, { ...owner, kind: "team", appId: null, scopes: [] }, SYSTEM)
  const subscription = { pk: appPartition(app.id), sk: `webhook-endpoint#${createId("webhook_endpoint", 0)}` }
  await platform.configTable.create(subscription, { events: ["*"] })
  const given: Given = {
    team,
    app,
    teamKey: teamKey.key,
    apiKey: appKey.key,
    apiKeyId: appKey.record.id,
    async prepare(endpointId, request) {
      const { statusCode = 500, body = "{}" } = await send(served, endpointId, given, request, randomUUID())
      if (statusCode >= 300) throw new Error(`${endpointId} answers ${statusCode}: ${body}`)
      return JSON.parse(body)
    },
  }
  return given
}

async function sealed(given: Given): Promise<string> {
  return String(await given.prepare("encrypt", { body: "x" }))
}

async function send(
  served: readonly ServedEndpoint[],
  endpointId: string,
  { teamKey, apiKey }: Given,
  { auth = "app", path = {}, body }: Request,
  idempotencyKey: string,
) {
  const found = served.find(({ endpoint }) => endpoint.id === endpointId)
  if (found === undefined) throw new Error(`There is no endpoint ${endpointId}`)
  const { endpoint, handler } = found
  const credentials = { app: { "api-key": apiKey }, team: { "api-key": teamKey }, nobody: {} }[auth]
  const event = proxyEvent({
    method: endpoint.method,
    path: endpoint.path,
    pathParameters: path,
    headers: { "content-type": "application/json", "idempotency-key": idempotencyKey, ...credentials },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return handler(event, LAMBDA_CONTEXT)
}

function named({ service, operation, resource }: AwsCall): string {
  return `${service}:${operation}${resource === null ? "" : `/${resource}`}`
}

import { mock } from "node:test"
import { createService } from "@sealway/api"
import { atLambdaEdge } from "@sealway/api/testing"
import { createPlatform, type Platform } from "@sealway/http"
import { createCloudClients, ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import { createApp, createTeam, issueApiKey } from "@sealway/management"
import { type AwsCall, QUEUES, TABLES } from "@sealway/ports"
import { SYSTEM } from "@sealway/records"
import { LAMBDA_CONTEXT, proxyEvent } from "../../test/support/proxy-event.ts"

/** A request of an endpoint, by its id. */
export interface CountedRequest {
  readonly endpointId: string
  /** Default: the app's API key. */
  readonly auth?: "app" | "team"
  readonly path?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly status: number
}

/** AWS calls, with names as in IAM, and their number. */
export type Counts = Readonly<Record<string, number>>

/** Counts the AWS calls of its requests, in a process whose clocks can be moved. */
export interface Counting<Request> {
  /** Returns the AWS calls of one request, including those that it starts and does not wait for. */
  count(request: Request): Promise<Counts>
  send(request: Request): Promise<unknown>
  /** Lets time pass, for caches and counters. */
  passTime(durationMs: number): void
}

/** A process that has just started. */
export interface CountedProcess {
  readonly platform: Platform
  /** Those since the last `splice(0)`. */
  readonly calls: AwsCall[]
  passTime(durationMs: number): void
}

/** One execution environment of Lambda: a process that has just started, with clocks that can be moved. */
export interface CountedEnvironment extends Counting<CountedRequest> {
  /** @returns the JSON of the answer */
  send(request: CountedRequest): Promise<unknown>
  /** Lets started work end, as Lambda does not. */
  settle(): Promise<void>
}

export interface CountedCloud {
  readonly appId: string
  /** The app's key. */
  readonly apiKey: string
  /** Lets the rest of the hour pass, since budgets are counted by the hour, and starts an environment. */
  newEnvironment(): CountedEnvironment
  /** Lets the rest of the hour pass, and starts a process that serves no endpoint. */
  newProcess(): CountedProcess
  close(): Promise<void>
}

/** Starts the real handlers over the embedded cloud, with a team, an app and its keys, and counts every AWS call. */
export async function startCountedCloud(): Promise<CountedCloud> {
  const cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: QUEUES })
  const clocks = turnableClocks()
  const { configuration, clients } = createCloudClients(cloud)
  await ensureStageKey(cloud)
  const platform = createPlatform(configuration, clients)
  const team = await createTeam(platform, "Team", SYSTEM)
  const app = await createApp(platform, team.id, { name: "App", environment: "sandbox" }, SYSTEM)
  const owner = { teamId: team.id, name: "Key", expiresAt: null }
  const appKey = { ...owner, kind: "sandbox", appId: app.id, scopes: ["*"] } as const
  const keys = {
    app: (await issueApiKey(platform, appKey, SYSTEM)).key,
    team: (await issueApiKey(platform, { ...owner, kind: "team", appId: null, scopes: [] }, SYSTEM)).key,
  }
  const newProcess = () => {
    clocks.passToNextHour()
    const calls: AwsCall[] = []
    const onCall = (call: AwsCall) => calls.push(call)
    const { configuration, clients } = createCloudClients(cloud, {
      onCall,
      accessLog: "log",
      isFrozenBetweenRequests: true,
    })
    // In the cloud it is a line of the log, and no AWS call.
    const platform = {
      ...createPlatform(configuration, clients),
      accessLog: { record() {}, async flush() {} },
    }
    return { platform, calls, passTime: clocks.passTime }
  }
  return {
    appId: app.id,
    apiKey: keys.app,
    newEnvironment: () => newEnvironment(newProcess(), keys),
    newProcess,
    async close() {
      clocks.restore()
      await cloud.close()
    },
  }
}

function newEnvironment(
  { platform, calls, passTime }: CountedProcess,
  keys: Readonly<Record<"app" | "team", string>>,
): CountedEnvironment {
  const service = createService(platform)

  async function send({ endpointId, auth = "app", path, headers, body, status }: CountedRequest) {
    const served = service.endpoints.find(({ endpoint }) => endpoint.id === endpointId)
    if (served === undefined) throw new Error(`There is no endpoint ${endpointId}`)
    const event = proxyEvent({
      method: served.endpoint.method,
      path: served.endpoint.path,
      headers: { "content-type": "application/json", ...headers, "api-key": keys[auth] },
      ...(path && { pathParameters: path }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer = await atLambdaEdge(served.handler, platform)(event, LAMBDA_CONTEXT)
    // What the request starts and does not wait for has started by then.
    await new Promise((resolve) => setImmediate(resolve))
    if (answer.statusCode !== status)
      throw new Error(`${endpointId} answers ${answer.statusCode}: ${answer.body}`)
    return answer.body === undefined || answer.body === "" ? null : (JSON.parse(answer.body) as unknown)
  }

  return {
    send,
    passTime,
    settle: () => service.flush(),
    async count(request) {
      calls.length = 0
      await send(request)
      return countsOf(calls)
    },
  }
}

/** Counts the calls of each name. */
export function countsOf(calls: readonly AwsCall[]): Counts {
  const counts = Object.groupBy(calls, named)
  return Object.fromEntries(Object.entries(counts).map(([name, found = []]) => [name, found.length]))
}

/**
 * Stands still at the beginning of an hour, so that the counts are the same on slow machines and at any time of day.
 */
const BEGINNING_MS = Date.UTC(2026, 0, 1)
const HOUR_MS = 60 * 60_000

/** Replaces the clocks of this process by ones that are moved by hand: waiting for caches to end would take hours. */
function turnableClocks() {
  let passedMs = 0
  const mocks = [
    mock.method(performance, "now", () => HOUR_MS + passedMs),
    mock.method(Date, "now", () => BEGINNING_MS + passedMs),
  ]
  return {
    passTime(durationMs: number) {
      passedMs += durationMs
    },
    passToNextHour() {
      passedMs = Math.ceil((passedMs + 1) / HOUR_MS) * HOUR_MS
    },
    restore() {
      for (const each of mocks) each.mock.restore()
    },
  }
}

function named({ service, operation, resource }: AwsCall): string {
  return `${service}:${operation}${resource === null ? "" : `/${resource}`}`
}

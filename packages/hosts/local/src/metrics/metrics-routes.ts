import type { EndpointRoute, HttpEvent, HttpResult } from "@sealway/http"
import {
  equalInConstantTime,
  isLoopbackHost,
  type MaybePromise,
  PROBLEM_CONTENT_TYPE,
  problemBody,
} from "@sealway/kernel"
import type { GroupedFigures } from "@sealway/records"
import manifest from "../../package.json" with { type: "json" }
import type { Route } from "../gateway/index.ts"
import { EXPOSITION_TYPE, writeExposition } from "./exposition.ts"
import { serviceMetrics } from "./service-metrics.ts"

export interface MetricsOptions {
  /** Returns what the service has counted since it started. */
  readonly figures: () => MaybePromise<GroupedFigures>
  /** Returns how many workers accept connections. */
  readonly workers: () => number
  /** The bearer token that lets any machine read them; null: only this machine may. */
  readonly token: string | null
  /** Whether something on this machine may pass on requests of others: then only the token counts. */
  readonly isBehindProxy: boolean
}

const BEARER = /^Bearer ([\x21-\x7e]{1,512})$/i
const MS_PER_SECOND = 1_000
const MICROSECONDS_PER_SECOND = 1_000_000

/**
 * Returns the routes of `GET /metrics`, in Prometheus' text format: for whoever has the token, and without one for this
 * machine's own programs, which web pages are not.
 */
export function metricsRoutes(options: MetricsOptions): readonly (Route & EndpointRoute)[] {
  const handler = async (event: HttpEvent): Promise<HttpResult> => {
    if (!mayRead(event, options)) return refusal()
    const cpu = process.cpuUsage()
    const metrics = serviceMetrics(await options.figures(), manifest.version, {
      workers: options.workers(),
      startedAt: (Date.now() - process.uptime() * MS_PER_SECOND) / MS_PER_SECOND,
      cpuSeconds: (cpu.user + cpu.system) / MICROSECONDS_PER_SECOND,
      residentBytes: process.memoryUsage.rss(),
    })
    return {
      statusCode: 200,
      headers: { "content-type": EXPOSITION_TYPE, "cache-control": "no-store" },
      body: writeExposition(metrics),
    }
  }
  return [{ method: "GET", path: "/metrics", functionName: "metrics", handler }]
}

function mayRead({ headers, requestContext }: HttpEvent, { token, isBehindProxy }: MetricsOptions): boolean {
  const [, given] = BEARER.exec(headers.authorization ?? "") ?? []
  if (given !== undefined) return token !== null && equalInConstantTime(given, token)
  return !isBehindProxy && isFromThisMachine(headers, requestContext.http.sourceIp)
}

/**
 * Whether a program of this machine asks for itself. A page in a browser of this machine says where it is from, or asks
 * for a name that was made to lead here; a proxy says for whom it asks.
 */
function isFromThisMachine(headers: HttpEvent["headers"], sourceIp: string): boolean {
  const host = URL.parse(`http://${headers.host ?? ""}`)?.hostname ?? ""
  const isLocal = /^(::ffff:)?127\./i.test(sourceIp) || sourceIp === "::1"
  const isOfPage = headers.origin !== undefined || !["none", undefined].includes(headers["sec-fetch-site"])
  const isPassedOn = ["forwarded", "x-forwarded-for", "via", "x-real-ip"].some(
    (name) => headers[name] !== undefined,
  )
  return isLocal && isLoopbackHost(host) && !isOfPage && !isPassedOn
}

function refusal(): HttpResult {
  const problem = problemBody("unauthorized", "Send the metrics token as a bearer token.", [])
  return {
    statusCode: problem.status,
    headers: {
      "content-type": PROBLEM_CONTENT_TYPE,
      "cache-control": "no-store",
      "www-authenticate": 'Bearer realm="metrics"',
    },
    body: JSON.stringify(problem),
  }
}

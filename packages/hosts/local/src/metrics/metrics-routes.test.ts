import type { HttpEvent } from "@sealway/http"
import { type Figures, GroupedFigures, prepareChange } from "@sealway/records"
import { describe, expect, test } from "vitest"
import { LAMBDA_CONTEXT, proxyEvent } from "../../../../../test/support/proxy-event.ts"
import { writeExposition } from "./exposition.ts"
import { type MetricsOptions, metricsRoutes } from "./metrics-routes.ts"
import { serviceMetrics } from "./service-metrics.ts"

const TOKEN = "0123456789abcdef0123456789abcdef"
const LOCAL = { host: "127.0.0.1:7400" }

async function ask(
  headers: Readonly<Record<string, string>>,
  sourceIp = "127.0.0.1",
  options: Partial<MetricsOptions> = {},
) {
  const [route] = metricsRoutes({
    figures: () => new GroupedFigures(),
    workers: () => 0,
    token: TOKEN,
    isBehindProxy: false,
    ...options,
  })
  if (route === undefined) throw new Error("There is no route")
  const event: HttpEvent = proxyEvent({ method: "GET", path: "/metrics", headers })
  const { http } = event.requestContext
  const given = {
    ...event,
    headers,
    requestContext: { ...event.requestContext, http: { ...http, sourceIp } },
  }
  const answer = await route.handler(given, LAMBDA_CONTEXT)
  return typeof answer === "string" ? { statusCode: 0 } : answer
}

describe("GET /metrics", () => {
  test.each([
    ["127.0.0.1", LOCAL],
    ["::1", { host: "[::1]:7400" }],
    ["::ffff:127.0.0.1", { host: "localhost:7400" }],
    ["192.0.2.1", { host: "sealway.example", authorization: `Bearer ${TOKEN}` }],
  ])("answers %s with %j", async (sourceIp, headers) => {
    expect(await ask(headers, sourceIp)).toMatchObject({
      statusCode: 200,
      headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
      body: expect.stringContaining("process_cpu_seconds_total "),
    })
  })

  test.each([
    ["another machine", "192.0.2.1", LOCAL],
    ["another machine with an address that contains 127", "10.127.0.1", LOCAL],
    ["a page of another site", "127.0.0.1", { ...LOCAL, origin: "https://evil.example" }],
    ["a page that asks without an origin", "127.0.0.1", { ...LOCAL, "sec-fetch-site": "cross-site" }],
    ["a name that was made to lead here", "127.0.0.1", { host: "evil.example:7400" }],
    ["a proxy for others", "127.0.0.1", { ...LOCAL, "x-forwarded-for": "192.0.2.1" }],
    ["a wrong token, even here", "127.0.0.1", { ...LOCAL, authorization: `Bearer ${TOKEN.slice(1)}0` }],
    ["an API key", "192.0.2.1", { ...LOCAL, authorization: "Basic YTpi" }],
  ])("refuses %s with unauthorized", async (_, sourceIp, headers) => {
    const answer = await ask(headers, sourceIp)
    expect(answer).toMatchObject({
      statusCode: 401,
      headers: { "www-authenticate": 'Bearer realm="metrics"' },
    })
    expect(JSON.parse(answer.body ?? "")).toMatchObject({ code: "unauthorized" })
  })

  test("refuses every token when none is set, and this machine without one when it is behind a proxy", async () => {
    const bearer = { ...LOCAL, authorization: `Bearer ${TOKEN}` }
    expect(await ask(bearer, "192.0.2.1", { token: null })).toMatchObject({ statusCode: 401 })
    expect(await ask(LOCAL, "127.0.0.1", { isBehindProxy: true })).toMatchObject({ statusCode: 401 })
    expect(await ask(bearer, "127.0.0.1", { isBehindProxy: true })).toMatchObject({ statusCode: 200 })
  })
})

describe("the text format", () => {
  test("escapes help texts and the values of labels", () => {
    const samples = [{ labels: { a: 'x"y\\z\n', b: "" }, value: Number.POSITIVE_INFINITY }, { value: 0.25 }]
    expect(writeExposition([{ name: "n_total", type: "counter", help: "a\\b\nc", samples }])).toBe(
      '# HELP n_total a\\\\b\\nc\n# TYPE n_total counter\nn_total{a="x\\"y\\\\z\\n",b=""} +Inf\nn_total 0.25\n',
    )
  })

  test("has cumulative buckets up to +Inf, and their sum and count", () => {
    const figures = new GroupedFigures()
    for (const api of [0.01, 0.5, 1.5, 1.6, 1e9])
      figures.add(prepareChange({ requests: 1, tookMs: { api } }), { endpoint: "encrypt" })
    const lines = expose(figures).filter((line) => line.includes("request_duration_seconds"))
    const value = (le: string) =>
      lines
        .find((line) => line.startsWith(`sealway_request_duration_seconds_bucket{le="${le}"}`))
        ?.split(" ")[1]
    expect(["0.0000625", "0.0005", "0.001", "0.002", "65.536", "+Inf"].map(value)).toEqual([
      "1",
      "2",
      "2",
      "4",
      "4",
      "5",
    ])
    expect(lines.at(-1)).toBe("sealway_request_duration_seconds_count 5")
    expect(lines.at(-2)).toMatch(/^sealway_request_duration_seconds_sum 1000000\.00/)
  })

  test("names counters _total, and repeats no name and no app", () => {
    const figures = new GroupedFigures()
    const total: Figures = figures.total
    total.add(prepareChange({ encrypted: 3, functionRuns: 2, failedRuns: 1 }))
    figures.add(prepareChange({ requests: 1, refusals: 1 }), {
      endpoint: "decrypt",
      code: "decrypt/forbidden",
    })
    const lines = expose(figures)
    expect(lines).toEqual(
      expect.arrayContaining([
        "sealway_values_encrypted_total 3",
        'sealway_refusals_total{code="decrypt/forbidden"} 1',
        'sealway_requests_total{endpoint="decrypt"} 1',
        'sealway_function_runs_total{status="success"} 1',
        'sealway_build_info{version="1.2.3"} 1',
      ]),
    )
    const types = lines.filter((line) => line.startsWith("# TYPE")).map((line) => line.split(" ").slice(2))
    expect(new Set(types.map(([name]) => name)).size).toBe(types.length)
    for (const [name, type] of types)
      expect([name, String(name).endsWith("_total")]).toEqual([name, type === "counter"])
    for (const line of lines)
      expect(line).toMatch(/^(# (HELP|TYPE) |[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? \S+$|$)/)
  })
})

function expose(figures: GroupedFigures): string[] {
  const use = { workers: 4, startedAt: 1, cpuSeconds: 2, residentBytes: 3 }
  return writeExposition(serviceMetrics(figures, "1.2.3", use)).split("\n")
}

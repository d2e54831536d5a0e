import { gzipSync } from "node:zlib"
import { UNLIMITED } from "@sealway/accounts"
import { TEST_APP as APP } from "@sealway/accounts/testing"
import { processTask, processTurns, RequestTask, type Task } from "@sealway/kernel"
import { createTestKeyring } from "@sealway/keys/testing"
import {
  type Action,
  MESSAGE_LIMITS,
  RelayError,
  type Route,
  type SelectionType,
} from "@sealway/relay-engine"
import { createSealingKey, isToken } from "@sealway/tokens"
import { describe, expect, test } from "vitest"
import type { CipherDependencies } from "../cipher/create-message-cipher.ts"
import { sampleRequestSchema, sampleResponseSchema } from "./sample.ts"
import { tryRelay } from "./try-relay.ts"

const JSON_TYPE = { "content-type": "application/json" }
const CARD = "4111111111111111"

async function setUp() {
  const keyring = createTestKeyring()
  await keyring.addVersion(APP)
  const decided: unknown[] = []
  const dependencies: CipherDependencies = {
    keyring,
    dataRoles: {
      markUsed: async (_, slug) => slug === "pci",
      decide: async (...asked) => {
        decided.push(asked)
        return new Map()
      },
    },
    audit: { record: async (entry) => void decided.push(entry), async *read() {} },
    wallClock: () => 0,
  }
  const { publicKeys } = await keyring.newest(APP, "public")
  const sealed = createSealingKey({ appPublicKey: publicKeys.prime256v1, debug: true }).seal(
    "string",
    "secret",
  )
  return { dependencies, decided, sealed }
}

type Dependencies = Awaited<ReturnType<typeof setUp>>["dependencies"]

function route(action: Action["action"], ...selectors: (string | readonly [SelectionType, string])[]): Route {
  const selections = selectors.map((each) => {
    const [type, selector] = typeof each === "string" ? (["json", each] as const) : each
    return { type, selector, role: null }
  })
  return { method: null, path: "/**", request: [{ action, selections }], response: [{ action, selections }] }
}

interface Samples {
  readonly request?: object
  readonly response?: object
  readonly leakWatch?: "off" | "alert" | "block"
  readonly unmatched?: "refuse" | "pass"
}

const tried = (
  dependencies: Dependencies,
  routes: readonly Route[],
  { request = {}, response, leakWatch = "off", unmatched = "refuse" }: Samples,
  task: Task = processTask,
) =>
  tryRelay(
    dependencies,
    APP,
    {
      id: "relay_1",
      routes,
      encryptEmptyStrings: true,
      leakWatch,
      caseSensitiveNames: false,
      unknownContentTypes: "refuse",
      unencryptableErrors: "refuse",
      unmatched,
      passContentTypes: [],
    },
    {
      request: sampleRequestSchema.parse(request),
      response: response === undefined ? null : sampleResponseSchema.parse(response),
    },
    { task, allowance: UNLIMITED },
  )

const json = (value: unknown, headers: object = {}) => ({
  headers: { ...JSON_TYPE, ...headers },
  body: JSON.stringify(value),
})
const codes = ({ warnings }: Awaited<ReturnType<typeof tryRelay>>) =>
  warnings.map(({ direction, code, selector }) => [direction, code, selector])

describe("a trial of a relay", () => {
  test("shows what each selection selects and where, and what would be forwarded", async () => {
    const { dependencies } = await setUp()
    const routes = [route("encrypt", "$.card.*", "$.missing", ["header", "X-Name"])]
    const request = json({ card: { number: "1", code: 2 }, other: "é" }, { "X-Name": "Ada" })
    const { refusal, request: trial } = await tried(dependencies, routes, { request })
    expect(refusal).toBeNull()
    const common = {
      direction: "request",
      action: "encrypt",
      isAmbiguous: false,
      hasLiteralPrefix: false,
    } as const
    expect(trial?.selections).toEqual([
      {
        ...common,
        type: "json",
        selector: "$.card.*",
        matched: 2,
        changed: 2,
        paths: ["$['card']['number']", "$['card']['code']"],
      },
      { ...common, type: "json", selector: "$.missing", matched: 0, changed: 0, paths: [] },
      { ...common, type: "header", selector: "X-Name", matched: 1, changed: 1, paths: [] },
    ])
    if (!trial || trial.outcome instanceof RelayError) throw new Error("It is passed on")
    const { headers, body, isBodyChanged } = trial.outcome
    expect(isBodyChanged).toBe(true)
    const passed = JSON.parse(String(body))
    expect(passed).toEqual({ card: { number: expect.any(String), code: expect.any(String) }, other: "é" })
    for (const token of [
      passed.card.number,
      passed.card.code,
      headers.find(({ name }) => name === "X-Name")?.value,
    ]) {
      expect(isToken(token)).toBe(true)
    }
  })

  test("opens nothing and asks no policy: placeholders replace what would be decrypted", async () => {
    const { dependencies, decided, sealed } = await setUp()
    const routes = [route("decrypt", "$.*", ["form", "card"], ["header", "X-Card"])]
    const request = json({ card: sealed, other: "plain" }, { "X-Card": sealed })
    const response = {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: `card=${encodeURIComponent(sealed)}&a=b`,
    }
    const result = await tried(dependencies, routes, { request, response })
    const [first, second] = [result.request, result.response].map((each) => each?.outcome)
    if (!first || !second || first instanceof RelayError || second instanceof RelayError)
      throw new Error("Both are passed on")
    expect(String(first.body)).toBe('{"card":"(decrypted)","other":"plain"}')
    expect(first.headers).toContainEqual({ name: "X-Card", value: "(decrypted)" })
    expect(String(second.body)).toBe("card=%28decrypted%29&a=b")
    expect(JSON.stringify(result)).not.toContain("secret")
    expect(decided).toEqual([])
    expect(result.request?.selections[0]).toMatchObject({ matched: 2, changed: 1 })
    expect(codes(result)).toContainEqual(["request", "values-not-encrypted", "$.*"])
  })

  test("shows which routes match, by path and method", async () => {
    const { dependencies } = await setUp()
    const paths = ["/orders/*", "/orders/**", "/other"]
    const routes = [
      ...paths.map((path) => ({ ...route("encrypt", "$.a"), path })),
      { ...route("encrypt", "$.a"), path: "/orders/*", method: "PUT" },
    ]
    const request = { ...json({ a: 1 }), path: "/orders/1?x=/other" }
    const result = await tried(dependencies, routes, { request })
    expect(result.routes.map(({ isMatched }) => isMatched)).toEqual([true, true, false, false])
    const other = { ...json({ a: 1 }), path: "/" }
    const refused = await tried(dependencies, routes, { request: other })
    expect(refused.refusal).toMatchObject({ code: "bad-request" })
    const none = await tried(dependencies, routes, { request: other, unmatched: "pass" })
    expect(codes(none)).toEqual([["request", "no-route-matches", null]])
  })

  test("shows a request that would be refused because of its path alone", async () => {
    const { dependencies } = await setUp()
    const routes = [{ ...route("encrypt", "$.a"), path: "/orders" }]
    const { refusal, request } = await tried(dependencies, routes, { request: { path: "/x/../orders" } })
    expect(refusal).toMatchObject({ code: "bad-request" })
    expect(request).toBeNull()
  })

  test("shows why a message would be refused", async () => {
    const { dependencies, sealed } = await setUp()
    const routes = [route("encrypt", "$.a")]
    const outcomeOf = async (samples: Samples) =>
      (await tried(dependencies, routes, samples)).request?.outcome
    expect(await outcomeOf({ request: json({ a: 1, b: sealed }) })).toMatchObject({
      code: "encrypt/pre-encrypted-data",
    })
    expect(await outcomeOf({ request: json({ a: 1 }, { "x-b": sealed }) })).toMatchObject({
      code: "encrypt/pre-encrypted-data",
    })
    expect(await outcomeOf({ request: { headers: JSON_TYPE, body: "{" } })).toMatchObject({
      code: "bad-request",
    })
    expect(await outcomeOf({ request: { headers: { "content-type": "a" }, body: "{" } })).toMatchObject({
      code: "invalid-content-type",
    })
    expect(await outcomeOf({ request: json({ a: 1, b: CARD }), leakWatch: "block" })).toMatchObject({
      code: "bad-request",
    })
    const response = { headers: { "content-type": "text/plain" }, body: "a" }
    expect((await tried(dependencies, routes, { response })).response?.outcome).toMatchObject({
      code: "unsupported-content-type-in-response",
    })
    const role = [
      { action: "encrypt", selections: [{ type: "json", selector: "$.a", role: "gone" }] },
    ] as const
    const unknownRole = await tried(dependencies, [{ ...route("encrypt", "$.a"), request: role }], {
      request: json({ a: 1 }),
    })
    expect(unknownRole.request?.outcome).toMatchObject({ code: "internal-server-error" })
  })

  test("warns of likely mistakes", async () => {
    const { dependencies, sealed } = await setUp()
    const routes = [route("encrypt", "$.a", "$.list[?@.x]", "$.b[-1]", "$[?@.n == 1]")]
    const request = json({ a: sealed, b: [1, 2], note: CARD })
    const result = await tried(dependencies, routes, { request })
    expect(codes(result)).toEqual([
      ["request", "values-already-encrypted", "$.a"],
      ["request", "matched-nothing", "$.list[?@.x]"],
      ["request", "selects-otherwise-elsewhere", "$.b[-1]"],
      ["request", "matched-nothing", "$[?@.n == 1]"],
      ["request", "card-number-not-selected", null],
    ])
    expect(result.request?.leaks).toEqual(["$['note']"])
    expect(JSON.stringify(result.warnings)).not.toContain(CARD)
  })

  test("reads compressed and encoded bodies", async () => {
    const { dependencies } = await setUp()
    const body = gzipSync('{"a":1,"b":2}').toString("base64")
    const request = { headers: { ...JSON_TYPE, "content-encoding": "gzip" }, body, encoding: "base64" }
    const { request: trial } = await tried(dependencies, [route("encrypt", "$.a")], { request })
    if (!trial || trial.outcome instanceof RelayError) throw new Error("It is passed on")
    expect(JSON.parse(trial.outcome.body?.toString() ?? "")).toEqual({
      a: expect.stringMatching(/^ev:/),
      b: 2,
    })
    expect(trial.selections[0]?.paths).toEqual(["$['a']"])
  })

  test("names places in XML and forms, and accepts files", async () => {
    const { dependencies } = await setUp()
    const routes = [route("encrypt", ["xml", "$.order.card"], ["form", "card"], ["file", "scan"])]
    const pathsOf = async (type: string, body: string) =>
      (await tried(dependencies, routes, { request: { headers: { "content-type": type }, body } })).request
    expect((await pathsOf("text/xml", "<order><card>1</card></order>"))?.selections[0]).toMatchObject({
      matched: 1,
      changed: 1,
      paths: [expect.stringContaining("card")],
    })
    expect((await pathsOf("application/x-www-form-urlencoded", "a=1&card=2"))?.selections[1]).toMatchObject({
      matched: 1,
      paths: ["card"],
    })
    const parts = [
      '--B\r\nContent-Disposition: form-data; name="card"\r\n\r\n1\r\n',
      '--B\r\nContent-Disposition: form-data; name="scan"; filename="a.pdf"\r\n\r\nbytes\r\n--B--\r\n',
    ]
    const multipart = await pathsOf("multipart/form-data; boundary=B", parts.join(""))
    expect(multipart?.selections).toMatchObject([
      { matched: 0 },
      { matched: 1, changed: 1 },
      { matched: 1, changed: 1 },
    ])
  })

  test("omits results that are too large", async () => {
    const { dependencies } = await setUp()
    const request = json(Array.from({ length: 10_000 }, () => 1))
    const result = await tried(dependencies, [route("encrypt", "$.*")], { request })
    expect(result.request?.outcome).toMatchObject({ body: null, isTooLargeToShow: true, isBodyChanged: true })
    expect(result.request?.selections[0]).toMatchObject({ matched: 10_000, changed: 10_000 })
    expect(result.request?.selections[0]?.paths).toHaveLength(20)
    expect(codes(result)).toEqual([["request", "not-shown", null]])
  })

  test("reserves what large bodies take before it decodes any, once for both", async () => {
    const { dependencies } = await setUp()
    const reserved: number[] = []
    const taken: number[] = []
    const memory = {
      reserve: (bytes: number) => void reserved.push(bytes),
      take: (bytes: number) => void taken.push(bytes),
      add: () => undefined,
    }
    const task = new RequestTask({ turns: processTurns, memory })
    const decoded = `[${" ".repeat(1_000_000)}1]`
    const sample = {
      headers: { ...JSON_TYPE, "content-encoding": "gzip" },
      body: gzipSync(decoded).toString("base64"),
      encoding: "base64",
    }
    const trial = await tried(
      dependencies,
      [route("encrypt", "$[*]")],
      { request: sample, response: sample },
      task,
    )
    expect(trial.response?.selections[0]).toMatchObject({ changed: 1 })
    expect(new Set(reserved)).toEqual(new Set([12 * MESSAGE_LIMITS.maxBodyBytes]))
    expect(taken).toEqual([])
  })
})

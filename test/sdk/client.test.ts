import { createServer } from "node:http"
import { inspect } from "node:util"
import { ApiError, Sealway, SealwayBrowser, SealwayTeam } from "@sealway/sdk"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { deployFunction } from "../support/functions.ts"
import { useService } from "../support/service.ts"

const service = useService()
let sealway: Sealway
let browser: SealwayBrowser
let team: SealwayTeam

/** What the clients have asked the service. */
const asked: string[] = []
const counting: typeof fetch = (url, init) => {
  asked.push(`${init?.method} ${new URL(String(url)).pathname}`)
  return fetch(url, init)
}

beforeAll(() => {
  const { app, auth } = service.sandbox
  const options = { baseUrl: service.url, fetch: counting }
  sealway = new Sealway({ ...options, appId: app.id, apiKey: auth.key })
  browser = new SealwayBrowser({ ...options, teamId: service.team.id, appId: app.id })
  team = new SealwayTeam({ ...options, teamId: service.team.id, teamKey: service.team.auth.key })
})
const refusalOf = async (promise: Promise<unknown>): Promise<ApiError> => {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ApiError)) throw error ?? new Error("Not refused")
  return error
}

describe("what the SDK encrypts", () => {
  const DOCUMENT = { name: "Ada", age: 36, isMember: true, nothing: null, tags: ["a", { b: 1.5 }] }

  test("is opened by the service, with one call for the public key", async () => {
    asked.length = 0
    const sealed = await sealway.encrypt(DOCUMENT)
    const token = expect.stringMatching(/^ev:debug:/)
    expect(sealed).toEqual({
      name: token,
      age: token,
      isMember: token,
      nothing: null,
      tags: [token, { b: token }],
    })
    await Promise.all(Array.from({ length: 20 }, () => sealway.encrypt("again")))
    expect(asked).toEqual(["GET /keys"])
    expect(await sealway.decrypt(sealed, { requireTokens: true })).toEqual(DOCUMENT)
  })

  test("carries its role, whose policies decide", async () => {
    await service.newRole(service.sandbox.app, "sdk-role")
    const sealed = await sealway.encrypt("4242424242424242", "sdk-role")
    expect(await sealway.fingerprint(sealed)).toMatchObject({ role: "sdk-role", category: "card-number" })
    const { code, status } = await refusalOf(sealway.decrypt({ card: sealed }))
    expect([code, status]).toEqual(["decrypt/forbidden", 403])
    const permit = { name: "All", effect: "permit", roles: ["sdk-role"], conditions: {} } as const
    await sealway.api.createDataPolicy({ body: permit })
    await expect
      .poll(() => sealway.decrypt(sealed).catch(() => null), { timeout: 15_000 })
      .toBe("4242424242424242")
  })

  test("is a file for bytes, a Blob and a stream, each of which becomes the same again", async () => {
    const bytes = new TextEncoder().encode("a contract")
    const textOf = (content: Uint8Array<ArrayBuffer>) => new Blob([content]).text()
    expect(await textOf(await sealway.decrypt(await sealway.encrypt(bytes)))).toBe("a contract")
    const blob = await sealway.decrypt(await sealway.encrypt(new File([bytes], "a.txt")))
    expect([await blob.text(), blob instanceof File && blob.name]).toEqual(["a contract", "a.txt"])
    const stream = await sealway.decrypt(await sealway.encrypt(new Blob([bytes]).stream()))
    expect(await new Response(stream).text()).toBe("a contract")
    const again = await sealway.rewrap(await sealway.encrypt(bytes))
    expect(await textOf(await sealway.decrypt(again))).toBe("a contract")
  })
})

describe("a format", () => {
  test("changes values to tokens of the same shape and back, also of an earlier version", async () => {
    await sealway.api.createDataRole({ body: { slug: "sdk-format", name: "Numbers" } })
    const permit = { name: "Reasoned", effect: "permit", roles: ["sdk-format"], conditions: {} } as const
    await sealway.api.createDataPolicy({ body: { ...permit, requiresReason: true } })
    await sealway.api.createFormat({ body: { name: "sdk-ssn", role: "sdk-format", preset: "us-ssn" } })
    const given = { people: [{ ssn: "078-05-1120" }, { ssn: null }] }
    const tweak = "customer-7"
    const tokens = await sealway.formats.encrypt("sdk-ssn", given, { tweak })
    expect(tokens).toEqual({ people: [{ ssn: expect.stringMatching(/^\d{3}-\d\d-\d{4}$/) }, { ssn: null }] })
    const options = { tweak, reason: "Ticket 7" }
    expect(await sealway.formats.decrypt("sdk-ssn", tokens, options)).toEqual(given)
    const refused = await refusalOf(sealway.formats.decrypt("sdk-ssn", tokens, { tweak }))
    expect(refused.code).toBe("decrypt/reason-required")

    await sealway.api.rotateFormat({ formatId: "sdk-ssn" })
    const again = await sealway.formats.rewrap("sdk-ssn", tokens, { tweak, version: 1 })
    expect(again).toEqual(await sealway.formats.encrypt("sdk-ssn", given, { tweak }))
    expect(await sealway.formats.decrypt("sdk-ssn", tokens, { ...options, version: 1 })).toEqual(given)
    await expect(sealway.formats.encrypt("sdk-ssn", Buffer.from("078-05-1120"))).rejects.toThrow(TypeError)
  })
})

describe("a page", () => {
  test("encrypts without credentials, and decrypts its document, and no other, with a token of its server", async () => {
    const sealed = { card: await browser.encrypt("4242424242424242") }
    const { token, expiry } = await sealway.clientTokens.create(sealed, {
      expiry: new Date(Date.now() + 60_000),
    })
    expect(expiry).toBeLessThanOrEqual(Date.now() + 60_000)
    expect(await browser.decrypt(token, sealed)).toEqual({ card: "4242424242424242" })
    const other = { card: await browser.encrypt("other") }
    expect((await refusalOf(browser.decrypt(token, other))).code).toBe("forbidden")
  })

  test("cannot send a token with characters that would begin another header", async () => {
    const sent = browser.decrypt("a\r\nApi-Key: marker", {})
    await expect(sent).rejects.toThrow("The token must be a text of visible ASCII characters.")
  })
})

describe("a function", () => {
  const SOURCE = `exports.handler = async ({ card, fails }) => {
    if (fails) throw new Error("It fails")
    return { last4: card.slice(-4) }
  }`
  beforeAll(async () => {
    expect(await deployFunction(service, "sdk-last4", "index.js", SOURCE)).toMatchObject({ status: "ready" })
  })

  test("is run with decrypted values, and its failure is a result", async () => {
    const card = await sealway.encrypt("4242424242424242")
    expect(await sealway.functions.run("sdk-last4", { card })).toMatchObject({
      status: "success",
      result: { last4: "4242" },
    })
    expect(await sealway.functions.run("sdk-last4", { fails: true })).toMatchObject({
      status: "failure",
      error: { message: "It fails" },
    })
  })

  test("is run later, and the run is found by its id", async () => {
    const card = await sealway.encrypt("4242424242424242")
    const { status, runId } = await sealway.functions.run("sdk-last4", { card }, { async: true })
    expect(status).toBe("scheduled")
    await expect
      .poll(() => sealway.functions.getRun("sdk-last4", runId), { timeout: 15_000 })
      .toMatchObject({ status: "success", result: { last4: "4242" } })
  })

  test("is run once by a page, with a token for its payload", async () => {
    const payload = { card: await browser.encrypt("4242424242424242") }
    const { token } = await sealway.functions.createRunToken("sdk-last4", payload)
    const run = await browser.runFunction(token, "sdk-last4", payload)
    expect(run).toMatchObject({ status: "success", result: { last4: "4242" } })
    expect((await refusalOf(browser.runFunction(token, "sdk-last4", payload))).status).toBeLessThan(500)
    const other = await sealway.functions.createRunToken("sdk-last4", payload)
    const wrong = browser.runFunction(other.token, "sdk-last4", { card: await browser.encrypt("other") })
    expect((await refusalOf(wrong)).status).toBe(403)
  })

  test("is not run twice, and its result is returned, when the first answer is lost", async () => {
    let answers = 0
    const losing: typeof fetch = async (url, init) => {
      const response = await fetch(url, init)
      if (!String(url).endsWith("/runs") || ++answers > 1) return response
      await response.arrayBuffer()
      throw new TypeError("fetch failed")
    }
    const { app, auth } = service.sandbox
    const options = { baseUrl: service.url, fetch: losing, appId: app.id }
    const payload = { card: await browser.encrypt("4242424242424242") }
    const run = await new Sealway({ ...options, apiKey: auth.key }).functions.run("sdk-last4", payload)
    expect([answers, run]).toEqual([2, expect.objectContaining({ status: "success" })])
    answers = 0
    const { token } = await sealway.functions.createRunToken("sdk-last4", payload)
    const page = new SealwayBrowser({ ...options, teamId: service.team.id })
    const runOfPage = await page.runFunction(token, "sdk-last4", payload)
    expect([answers, runOfPage]).toEqual([2, expect.objectContaining({ status: "success" })])
  })

  test("cannot be named so that another path is called", async () => {
    asked.length = 0
    await refusalOf(sealway.functions.run("../../decrypt?", {}))
    expect(asked).toEqual(["POST /functions/..%2F..%2Fdecrypt%3F/runs"])
    await expect(sealway.functions.run("..", {})).rejects.toThrow(TypeError)
  })
})

describe("errors of the service", () => {
  test("have code, status, pointer and the id that the service's logs have", async () => {
    const error = await refusalOf(sealway.api.createDataRole({ body: { slug: "Not A Slug", name: "a" } }))
    expect(error).toMatchObject({ code: "invalid-request", status: 400, pointer: "/slug", name: "ApiError" })
    expect(error.requestId).toMatch(/./)
    expect((await refusalOf(sealway.api.getDataRole({ roleId: "role_missing00000" }))).code).toBe("not-found")
  })

  test("show neither the key nor the data, and neither do clients", async () => {
    const { user, key } = service.sandbox.auth
    const other = key.endsWith("x") ? "y" : "x"
    const wrong = new Sealway({ appId: user, apiKey: `${key.slice(0, -1)}${other}`, baseUrl: service.url })
    const error = await refusalOf(wrong.decrypt({ card: "marker-value" }))
    expect(error.code).toBe("unauthorized")
    const secrets = [key, key.slice(0, -1), btoa(`${user}:${key}`), service.team.auth.key, "marker-value"]
    for (const each of [error, sealway, wrong, browser, team, sealway.relay, sealway.functions]) {
      const shown = `${inspect(each, { depth: 12, showHidden: true })}${JSON.stringify(each)}${String(each)}`
      for (const secret of secrets) expect(shown).not.toContain(secret)
    }
  })
})

describe("ids", () => {
  test.each(["", ".", "..", "\ud800", 7])("like %j are refused before anything is sent", async (roleId) => {
    asked.length = 0
    await expect(sealway.api.getDataRole({ roleId: roleId as string })).rejects.toThrow(
      "roleId must be an id.",
    )
    await expect(sealway.api.getDataRole({} as never)).rejects.toThrow(TypeError)
    expect(asked).toEqual([])
  })

  test.each(["../apps", "a/b", "a?b=c", "a#b", "%2e%2e", "__proto__", "a\\..\\b"])(
    "like %j lead to no other path",
    async (roleId) => {
      asked.length = 0
      await refusalOf(sealway.api.getDataRole({ roleId }))
      expect(asked).toEqual([`GET /data-roles/${encodeURIComponent(roleId)}`])
    },
  )
})

describe("lists", () => {
  test("are iterated over all pages, or stopped early", async () => {
    const slugs = Array.from({ length: 5 }, (_, index) => `listed-${index}`)
    for (const slug of slugs) await sealway.api.createDataRole({ body: { slug, name: slug } })
    asked.length = 0
    const found = await Array.fromAsync(sealway.api.listDataRoles({ limit: 2 }), ({ slug }) => slug)
    expect(found).toEqual(expect.arrayContaining(slugs))
    expect(asked).toHaveLength(Math.ceil(found.length / 2))
    asked.length = 0
    for await (const { slug } of sealway.api.listDataRoles({ limit: 2 })) if (slug === "listed-4") break
    expect(asked).toHaveLength(1)
    expect(await sealway.api.listDataRoles({ limit: 1 }).first()).toHaveLength(1)
  })

  test("with page numbers are iterated too", async () => {
    const merchant = (name: string) =>
      ({ name, website: "https://shop.example", categoryCode: "5734" }) as never
    await sealway.payments.createMerchant({ body: merchant("First") }).catch(() => null)
    expect(await Array.fromAsync(sealway.payments.listMerchants({ pageSize: 1 }))).toBeInstanceOf(Array)
  })
})

test("a write that the network lost is made once, however often it is sent", async () => {
  const { user, key } = service.sandbox.auth
  let lost = 2
  const losing: typeof fetch = async (url, init) => {
    const response = await fetch(url, init)
    if (lost-- > 0) throw new TypeError("The connection was lost after the service had answered")
    return response
  }
  const client = new Sealway({ appId: user, apiKey: key, baseUrl: service.url, fetch: losing })
  const role = await client.api.createDataRole({ body: { slug: "made-once", name: "Once" } })
  expect(lost).toBe(-1)
  const all = await Array.fromAsync(sealway.api.listDataRoles({ limit: 100 }))
  expect(all.filter(({ slug }) => slug === "made-once").map(({ id }) => id)).toEqual([role.id])
})

test("a team key manages apps, and an app's client does not have its operations", async () => {
  const app = await team.api.createApp({ body: { name: "From the SDK", environment: "sandbox" } })
  const { key } = await team.api.createApiKey({
    appId: app.id,
    body: { name: "Server", scopes: ["api:decrypt"] },
  })
  const client = new Sealway({ appId: app.id, apiKey: key, baseUrl: service.url })
  expect(await client.decrypt(await client.encrypt({ a: 1 }))).toEqual({ a: 1 })
  expect("createApp" in sealway.api).toBe(false)
  expect("createDataRole" in team.api).toBe(false)
})

test("credentials are not sent to where the service is redirected to", async () => {
  const received: unknown[] = []
  const thief = createServer(({ headers }, response) => {
    received.push(headers)
    response.end("{}")
  }).listen(0)
  const redirecting = createServer((_, response) => {
    const address = thief.address()
    const port = typeof address === "object" ? address?.port : null
    response.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end()
  }).listen(0)
  afterAll(() => void [thief, redirecting].map((each) => each.close()))
  const address = redirecting.address()
  const port = typeof address === "object" ? address?.port : null
  const { user, key } = service.sandbox.auth
  const client = new Sealway({ appId: user, apiKey: key, baseUrl: `http://127.0.0.1:${port}` })
  await expect(client.decrypt({})).rejects.toMatchObject({ code: "unexpected-response" })
  await expect(client.encrypt("a")).rejects.toMatchObject({ code: "unexpected-response" })
  expect(received).toEqual([])
})

describe("an answer with its response", () => {
  test("has the status, the headers and the id of the request in the service's logs", async () => {
    const { data, status, headers, requestId } = await sealway.api.getKeys().withResponse()
    expect(data).toEqual(await sealway.api.getKeys())
    expect([status, headers.get("content-type")]).toEqual([200, "application/json"])
    expect(requestId).toMatch(/^[\w+/=-]{10,}$/)
  })

  test("is refused as the answer alone is, and leaves no rejection without a handler", async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on("unhandledRejection", note)
    try {
      const call = sealway.api.getDataRole({ roleId: "role_nowhere" })
      expect((await refusalOf(call.withResponse())).code).toBe("not-found")
      expect((await refusalOf(call)).code).toBe("not-found")
      let isOver = false
      const ended = call.finally(() => {
        isOver = true
      })
      expect((await refusalOf(ended)).code).toBe("not-found")
      expect(isOver).toBe(true)
      await new Promise(setImmediate)
    } finally {
      process.off("unhandledRejection", note)
    }
    expect(unhandled).toEqual([])
  })
})

describe("a wrong argument is a TypeError, and nothing is sent", () => {
  const bytes = new Uint8Array(3)
  const wrong = (value: unknown): never => value as never

  test.each<[string, () => Promise<unknown>]>([
    ["bytes to upload", () => sealway.files.upload(wrong(bytes))],
    ["nothing to upload", () => sealway.files.upload(wrong(undefined))],
    ["no id of a file", () => sealway.files.download(wrong(undefined)).next()],
    ["a function to encrypt", () => sealway.encrypt(() => "text")],
    ["nothing to decrypt", () => sealway.decrypt(undefined)],
    ["an object to fingerprint", () => sealway.fingerprint(wrong({ card: "ev:" }))],
    ["a text as payload of a run", () => sealway.functions.run("charge", wrong("text"))],
    ["a list as payload of a run", () => sealway.functions.run("charge", ["text"])],
    ["no name of a function", () => sealway.functions.run("", {})],
    ["nothing as payload of a run token", () => sealway.functions.createRunToken("charge", wrong(undefined))],
    ["null as payload of a client-side token", () => sealway.clientTokens.create(wrong(null))],
    ["bytes as payload of a client-side token", () => sealway.clientTokens.create(bytes)],
    ["an expiry that is no date", () => sealway.clientTokens.create({}, { expiry: new Date("soon") })],
    ["no key of a frame", () => sealway.clientTokens.createForFrame({}, wrong(undefined))],
    ["no destination", () => sealway.relay.fetch(wrong(undefined))],
    ["no body", async () => sealway.api.createDataRole(wrong({}))],
    ["bytes where JSON is expected", async () => sealway.api.createDataRole({ body: wrong(bytes) })],
    ["no id of a role", async () => sealway.api.getDataRole(wrong({}))],
    ["an object in a query", async () => sealway.api.listDataRoles({ limit: wrong({}) }).first()],
    ["nothing to decrypt in a page", () => browser.decrypt("token", wrong(undefined))],
    ["no token in a page", () => browser.decrypt(wrong(undefined), {})],
    ["a text as payload of a run in a page", () => browser.runFunction("token", "charge", wrong("text"))],
  ])("%s", async (_, call) => {
    asked.length = 0
    // `call` may throw at once.
    await expect((async () => call())()).rejects.toThrow(TypeError)
    expect(asked).toEqual([])
  })

  test.each([
    ["appId", () => new Sealway({ appId: undefined, apiKey: "swk_a", baseUrl: service.url })],
    ["apiKey", () => new Sealway({ appId: "app_a", apiKey: undefined, baseUrl: service.url })],
    ["baseUrl", () => new Sealway({ appId: "app_a", apiKey: "swk_a", baseUrl: undefined })],
    ["teamId", () => new SealwayBrowser({ teamId: undefined, appId: "app_a", baseUrl: service.url })],
    ["teamKey", () => new SealwayTeam({ teamId: "team_a", teamKey: undefined, baseUrl: service.url })],
  ])("a variable that is not set: %s", (name, create) => {
    expect(create).toThrow(new TypeError(`${name} is missing.`))
  })
})

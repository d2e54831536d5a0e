import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { startRelayDestination } from "../support/relay-destination.ts"
import { sendToRelay } from "../support/relay-request.ts"
import { useService } from "../support/service.ts"

const CARD = "4242424242424242"
const HTML = { "content-type": "text/html", etag: '"a"', "x-reason": "down" }
const service = useService()

/** Answers with its target, or with HTML and the status that the target names, as a stream or as a whole. */
const destination = await startRelayDestination(({ target }, response) => {
  const [, kind, status] = /^\/(html|stream|json)\/([0-9]+)/.exec(target) ?? []
  if (kind === "html") response.writeHead(Number(status), HTML).end(`<p>${CARD}</p>`)
  else if (kind === "json") {
    response.writeHead(Number(status), { "content-type": "application/json" }).end(`{"card":"${CARD}"}`)
  } else if (kind === "stream") {
    response.writeHead(Number(status), HTML)
    response.write(`<p>${CARD}`)
    setImmediate(() => response.end("</p>".repeat(50_000)))
  } else response.writeHead(200, { "content-type": "text/plain", "x-target": target }).end(target)
})
afterAll(() => destination[Symbol.asyncDispose]())

let relayDomain: string
beforeAll(async () => {
  const by = (action: string, type: string, selector: string) => [
    { action, selections: [{ type, selector }] },
  ]
  const answer = await service.post("/relays", {
    destinationDomain: destination.destinationDomain,
    unencryptableErrors: "drop-body",
    leakWatch: "block",
    routes: [
      { path: "/encrypt", request: by("encrypt", "query", "card") },
      { path: "/decrypt", request: by("decrypt", "query", "card") },
      { path: "/html/**", response: by("encrypt", "json", "$.card") },
      { path: "/stream/**", response: by("encrypt", "json", "$.card") },
      { path: "/json/**", response: by("encrypt", "json", "$.card") },
    ],
  })
  expect(answer.status, answer.text).toBe(201)
  relayDomain = z.object({ relayDomain: z.string() }).parse(answer.json).relayDomain
})

const get = (path: string, method = "GET") =>
  sendToRelay(service.service.relayUrl, { relayDomain, method, path, headers: { "content-length": "0" } })

describe("a parameter of the query", () => {
  test("reaches the destination as a token, and as plaintext where it is decrypted, and nothing else changes", async () => {
    const sealed = (await get("/encrypt?a=%7E+%c3%a9&card=4000+x%2B&&b&card=")).body.toString()
    const [, token] =
      /^\/encrypt\?a=%7E\+%c3%a9&card=(ev%3A[A-Za-z0-9%._-]+)&&b&card=ev%3A[^&]+$/.exec(sealed) ?? []
    expect(token).toBeDefined()
    const opened = await get(`/decrypt?x=1&card=${token}&y=%7e`)
    expect(opened.body.toString()).toBe("/decrypt?x=1&card=4000+x%2B&y=%7e")
  })

  test.each(["card[]=1", "Card=1", "%20card=1", "a=1;card=2", "card%00=1"])(
    "is refused with bad-request when a parser could mistake it for the encrypted one: %s",
    async (query) => {
      const { status, headers } = await get(`/encrypt?${query}`)
      expect([status, headers["x-service-error-code"]]).toEqual([400, "bad-request"])
      expect((await get(`/decrypt?${query}`)).status).toBe(200)
    },
  )

  test("is refused with encrypt/pre-encrypted-data when it holds a token that is not selected", async () => {
    const sealed = (await get("/encrypt?card=4000")).body.toString()
    const { headers } = await get(sealed.replace("card=", "other="))
    expect(headers["x-service-error-code"]).toBe("encrypt/pre-encrypted-data")
  })

  test("is refused with bad-request when it is not encrypted and holds a card number, on any path", async () => {
    for (const path of [`/encrypt?pan=${CARD}`, `/other?pan=4242%2d4242-4242-4242`, `/other?${CARD}`]) {
      const { status, headers } = await get(path)
      expect([status, headers["x-service-error-code"]], path).toEqual([400, "bad-request"])
    }
    expect((await get(`/encrypt?card=${CARD}`)).status).toBe(200)
  })
})

describe("an answer that cannot be encrypted, with drop-body", () => {
  test.each(["/html/302", "/html/404", "/html/503", "/stream/500"])(
    "keeps its status and headers, and its body does not reach the client: %s",
    async (path) => {
      const { status, headers, body } = await get(path)
      expect(status).toBe(Number(path.slice(-3)))
      expect(headers).toMatchObject({ "x-reason": "down", "content-length": "0" })
      expect(headers).not.toHaveProperty("etag")
      expect(headers).not.toHaveProperty("transfer-encoding")
      expect(body.toString()).toBe("")
      // The connection can be used for the next one.
      expect((await get("/other")).body.toString()).toBe("/other")
    },
  )

  test("has no body for HEAD, and is refused when its status is 200", async () => {
    const head = await get("/html/404", "HEAD")
    expect([head.status, head.body.length]).toEqual([404, 0])
    for (const path of ["/html/200", "/stream/200"]) {
      const { status, headers, body } = await get(path)
      expect([status, headers["x-service-error-code"]]).toEqual([502, "unsupported-content-type-in-response"])
      expect(body.toString()).not.toContain(CARD)
    }
  })

  test("is encrypted when it is JSON after all", async () => {
    const { status, body } = await get("/json/500")
    expect([status, body.toString()]).toEqual([500, expect.stringMatching(/^\{"card":"ev:/)])
  })
})

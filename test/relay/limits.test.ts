import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { echo, startRelayDestination } from "../support/relay-destination.ts"
import { type RelayAnswer, sendToRelay } from "../support/relay-request.ts"
import { useService } from "../support/service.ts"

const MAX_BODY_BYTES = 5_242_880
const MAX_FILE_BYTES = 26_214_400
const MAX_CHUNKED_BYTES = 716_800

const JSON_TYPE = { "content-type": "application/json" }
const XML_TYPE = { "content-type": "application/xml" }
const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" }
// As long as clients make them: a shorter one occurs in 25 MB of random bytes now and then.
const BOUNDARY = "----sealway-test-boundary"
const MULTIPART_TYPE = { "content-type": `multipart/form-data; boundary=${BOUNDARY}` }
const SCAN_HEAD = 'Content-Disposition: form-data; name="scan"; filename="scan.png"\r\n\r\n'
const BOMB = Buffer.alloc(100_000_000, " ")
const FAST_GZIP = { level: constants.Z_BEST_SPEED }
const COMPRESSED_BOMB = gzipSync(BOMB, FAST_GZIP)
const FAST_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

const service = useService()
const destination = await startRelayDestination((request, response) => {
  if (request.target !== "/bomb") echo(request, response)
  else response.writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip" }).end(COMPRESSED_BOMB)
})
afterAll(() => destination[Symbol.asyncDispose]())

let relayDomain: string
beforeAll(async () => {
  const of = (action: string) => [
    {
      action,
      selections: [
        { type: "json", selector: "$.card" },
        { type: "xml", selector: "$.order.card" },
        { type: "form", selector: "card" },
        { type: "file", selector: "scan" },
      ],
    },
  ]
  const { destinationDomain } = destination
  const routes = [
    { path: "/encrypt", request: of("encrypt") },
    { path: "/decrypt", request: of("decrypt") },
    { path: "/bomb", response: of("encrypt") },
  ]
  const answer = await service.post("/relays", { destinationDomain, routes })
  expect(answer.status, answer.text).toBe(201)
  relayDomain = z.object({ relayDomain: z.string() }).parse(answer.json).relayDomain
})

const send = (path: string, headers: Readonly<Record<string, string>>, body: string | Buffer) =>
  sendToRelay(service.service.relayUrl, { relayDomain, path, headers, body })

async function expectRefused(answer: RelayAnswer, code: string, status: number): Promise<void> {
  expect({ status: answer.status, ...JSON.parse(answer.body.toString()) }).toMatchObject({ status, code })
  expect(answer.headers["x-service-error-code"]).toBe(code)
  expect((await send("/other", {}, "still here")).body.toString()).toBe("still here")
}

/** Returns JSON of so many bytes, with a value that is encrypted. */
const jsonOf = (bytes: number) => `{"card":"4242","pad":"`.concat(`"}`.padStart(bytes - 22, "x"))

describe("a body of 5 MB", () => {
  test("passes unchanged, and is refused with payload-too-large when it is a byte larger", async () => {
    const body = Buffer.alloc(MAX_BODY_BYTES, "x")
    const passed = await send("/other", JSON_TYPE, body)
    expect([passed.status, passed.body.equals(body)]).toEqual([200, true])
    await expectRefused(await send("/other", JSON_TYPE, `${body}x`), "payload-too-large", 413)
  })

  test("has its values encrypted", async () => {
    const { status, body } = await send("/encrypt", JSON_TYPE, jsonOf(MAX_BODY_BYTES))
    expect(status).toBe(200)
    expect(body.toString("utf8", 0, 20)).toMatch(/^\{"card":"ev:/)
  })

  test.each([
    ["gzip", gzipSync],
    ["br", (bytes: string) => brotliCompressSync(bytes, FAST_BROTLI)],
    ["zstd", (bytes: string) => zstdCompressSync(bytes)],
  ] as const)("is counted after decoding %s", async (coding, compress) => {
    const headers = { ...JSON_TYPE, "content-encoding": coding }
    expect((await send("/encrypt", headers, compress(jsonOf(MAX_BODY_BYTES)))).status).toBe(200)
    const larger = await send("/encrypt", headers, compress(jsonOf(MAX_BODY_BYTES + 1)))
    await expectRefused(larger, "payload-too-large", 413)
  })
})

describe("a file of 25 MB", () => {
  const multipart = (file: Buffer) =>
    Buffer.concat([
      Buffer.from(`--${BOUNDARY}\r\n${SCAN_HEAD}`),
      file,
      Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
    ])

  test("is encrypted, and decrypted again", async () => {
    const body = multipart(Buffer.alloc(MAX_FILE_BYTES, "x"))
    const encrypted = await send("/encrypt", MULTIPART_TYPE, body)
    expect(encrypted.status).toBe(200)
    expect(encrypted.body.length).toBeGreaterThan(body.length)
    expect(encrypted.body.includes("xxxxxxxx")).toBe(false)
    const decrypted = await send("/decrypt", MULTIPART_TYPE, encrypted.body)
    expect([decrypted.status, decrypted.body.equals(body)]).toEqual([200, true])
  })

  test("is refused with payload-too-large when it is larger", async () => {
    const arrivedBefore = destination.arrived.length
    for (const more of [1, 75, 1_000]) {
      const larger = multipart(Buffer.alloc(MAX_FILE_BYTES + more, "x"))
      await expectRefused(await send("/encrypt", MULTIPART_TYPE, larger), "payload-too-large", 413)
    }
    const arrived = destination.arrived.slice(arrivedBefore).map(({ target }) => target)
    expect(arrived).toEqual(["/other", "/other", "/other"])
  })

  test("is refused with payload-too-large together with 5 MB of fields", async () => {
    const larger = multipart(Buffer.alloc(MAX_FILE_BYTES + MAX_BODY_BYTES, "x"))
    await expectRefused(await send("/other", MULTIPART_TYPE, larger), "payload-too-large", 413)
  })
})

describe("a value as large as a body may be", () => {
  const value = (around: number) => "x".repeat(MAX_BODY_BYTES - around)
  test.each([
    ["JSON", JSON_TYPE, `{"card":"${value(11)}"}`],
    ["XML", XML_TYPE, `<order><card>${value(28)}</card></order>`],
    ["a form", FORM_TYPE, `card=${value(5)}`],
  ])("in %s is encrypted, and decrypted again", async (_what, headers, body) => {
    expect(body.length).toBe(MAX_BODY_BYTES)
    const encrypted = await send("/encrypt", headers, body)
    expect([encrypted.status, encrypted.body.length > MAX_BODY_BYTES]).toEqual([200, true])
    const decrypted = await send("/decrypt", headers, encrypted.body)
    expect([decrypted.status, decrypted.body.toString() === body]).toEqual([200, true])
    await expectRefused(await send("/encrypt", headers, `${body} `), "payload-too-large", 413)
    await expectRefused(await send("/encrypt", headers, encrypted.body), "payload-too-large", 413)
  })

  test("in a field of a multipart body is encrypted, and decrypted again", async () => {
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="card"\r\n\r\n`
    const tail = `\r\n--${BOUNDARY}--\r\n`
    const body = `${head}${value(head.length + tail.length)}${tail}`
    const encrypted = await send("/encrypt", MULTIPART_TYPE, body)
    expect([encrypted.status, encrypted.body.length > MAX_BODY_BYTES]).toEqual([200, true])
    const decrypted = await send("/decrypt", MULTIPART_TYPE, encrypted.body)
    expect([decrypted.status, decrypted.body.toString() === body]).toEqual([200, true])
  })
})

test("passes a body of 700 KB in chunks, and refuses one byte more with payload-too-large", async () => {
  const headers = { ...JSON_TYPE, "transfer-encoding": "chunked" }
  for (const path of ["/other", "/encrypt"]) {
    expect((await send(path, headers, jsonOf(MAX_CHUNKED_BYTES))).status).toBe(200)
    await expectRefused(await send(path, headers, jsonOf(MAX_CHUNKED_BYTES + 1)), "payload-too-large", 413)
  }
})

describe("the content of a body", () => {
  const parts = (count: number) =>
    `${`--${BOUNDARY}\r\nContent-Disposition: form-data; name="card"\r\n\r\n1\r\n`.repeat(count)}--${BOUNDARY}--\r\n`
  test.each([
    [
      "256 levels of JSON",
      JSON_TYPE,
      (levels: number) => `{"card":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`,
      256,
    ],
    [
      "256 levels of XML",
      XML_TYPE,
      (levels: number) => `<order>${"<a>".repeat(levels - 1)}${"</a>".repeat(levels - 1)}</order>`,
      256,
    ],
    ["1,000 parts", MULTIPART_TYPE, parts, 1_000],
    ["10,000 fields", FORM_TYPE, (fields: number) => "card=1&".repeat(fields - 1).concat("card=1"), 10_000],
  ])("may be %s, and is refused with payload-too-large beyond", async (_what, headers, bodyOf, most) => {
    expect((await send("/encrypt", headers, bodyOf(most))).status).toBe(200)
    await expectRefused(await send("/encrypt", headers, bodyOf(most + 1)), "payload-too-large", 413)
  })
})

describe("a bomb", () => {
  test.each([
    ["gzip", () => COMPRESSED_BOMB],
    ["gzip, gzip", () => gzipSync(COMPRESSED_BOMB)],
    ["br", () => brotliCompressSync(BOMB, FAST_BROTLI)],
    ["zstd", () => zstdCompressSync(BOMB)],
  ])("of %s is refused with payload-too-large", async (coding, pack) => {
    const before = process.memoryUsage().arrayBuffers
    const answer = await send("/encrypt", { ...JSON_TYPE, "content-encoding": coding }, pack())
    await expectRefused(answer, "payload-too-large", 413)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(BOMB.length / 2)
  })

  test("in a file of a form is refused with payload-too-large", async () => {
    const file = Buffer.concat([Buffer.from(`--${BOUNDARY}\r\n${SCAN_HEAD}`), BOMB])
    const answer = await send(
      "/encrypt",
      { ...MULTIPART_TYPE, "content-encoding": "gzip" },
      gzipSync(file, FAST_GZIP),
    )
    await expectRefused(answer, "payload-too-large", 413)
  })

  test("is proxy-error in an answer to be encrypted", async () => {
    await expectRefused(await send("/bomb", JSON_TYPE, "{}"), "proxy-error", 502)
  })

  test.each([
    [
      "that declares entities",
      '<!DOCTYPE order [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><order><card>&b;</card></order>',
    ],
    [
      "that declares an external entity",
      '<!DOCTYPE order [<!ENTITY a SYSTEM "file:///etc/passwd">]><order>&a;</order>',
    ],
  ])("of XML %s is refused with bad-request", async (_what, body) => {
    await expectRefused(await send("/encrypt", XML_TYPE, body), "bad-request", 400)
  })
})

import { Readable } from "node:stream"
import { brotliCompressSync, gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from "node:zlib"
import { isToken } from "@sealway/tokens"
import { describe, expect, test } from "vitest"
import { action, sendMessage } from "./testing/send-message.ts"
import { createTestCiphers } from "./testing/test-cipher.ts"

const JSON_TYPE = "application/json"
const FORM_TYPE = "application/x-www-form-urlencoded"
const XML_TYPE = "application/xml"

const ciphers = createTestCiphers()
const cipher = ciphers.cipher()
const send = (message: Parameters<typeof sendMessage>[1]) => sendMessage(cipher, message)
const sealer = await cipher.sealer(1, [])
const tokenOf = (text: string, role: string | null = null) => sealer("string", Buffer.from(text), role)
const encryptName = action("encrypt", "json", "$.name")
const decryptName = action("decrypt", "json", "$.name")

describe("body values", () => {
  test("become tokens, and nothing else changes", async () => {
    const { text, report, isBodyChanged, contentLength } = await send({
      actions: [encryptName],
      contentType: JSON_TYPE,
      body: '{ "name" : "Ada", "n": 1.0, "name":2.50 }',
    })
    const [, first = "", second = ""] =
      /^\{ "name" : "([^"]+)", "n": 1\.0, "name":"([^"]+)" \}$/.exec(text ?? "") ?? []
    expect([isToken(first), isToken(second)]).toEqual([true, true])
    expect(isBodyChanged).toBe(true)
    expect(contentLength).toBe(text?.length)
    expect(report.selections).toEqual([
      { direction: "request", action: "encrypt", type: "json", selector: "$.name", matched: 2, changed: 2 },
    ])
  })

  test("are restored with their types and digits in JSON", async () => {
    const body = '{"name":2.50,"x":[{"name":true},{"name":"A\\u0064a"}]}'
    const selector = "$..name"
    const encrypted = await send({
      actions: [action("encrypt", "json", selector)],
      contentType: JSON_TYPE,
      body,
    })
    const back = await send({
      actions: [action("decrypt", "json", selector)],
      contentType: JSON_TYPE,
      body: encrypted.bytes,
    })
    expect(back.text).toBe('{"name":2.50,"x":[{"name":true},{"name":"Ada"}]}')
  })

  test("are not looked for in an empty body of unknown length", async () => {
    const message = { actions: [encryptName], contentType: JSON_TYPE, body: Readable.from([]) }
    const { error, bytes, isBodyChanged } = await send(message)
    expect([error, bytes?.length, isBodyChanged]).toEqual([null, 0, false])
  })

  test("go on without their coding in a request whose query is encrypted", async () => {
    const actions = [action("encrypt", "query", "card"), decryptName]
    const body = gzipSync('{"name":"Ada"}')
    const message = { actions, contentType: JSON_TYPE, headers: ["Content-Encoding", "gzip"], body }
    const sent = await send({ ...message, target: "/?card=4242" })
    expect([sent.text, sent.rawHeaders]).toEqual(['{"name":"Ada"}', ["Content-Type", JSON_TYPE]])
    const decrypted = await send({ ...message, actions: [decryptName] })
    expect(decrypted.bytes?.equals(body)).toBe(true)
  })

  test("are counted once before they are sealed, and not where none is", async () => {
    const counted: number[] = []
    const counting = { ...cipher, count: (values: number) => counted.push(values) }
    const actions = [action("encrypt", "json", "$.*"), action("encrypt", "header", "x-card")]
    const message = { actions, contentType: JSON_TYPE }
    const body = `{"a":"Ada","b":2,"c":"${tokenOf("Ada")}"}`
    const sent = await sendMessage(counting, { ...message, body, headers: ["x-card", "4242"] })
    expect([sent.error, counted]).toEqual([null, [3]])
    await sendMessage(counting, { ...message, actions: [decryptName], body: `{"name":"${tokenOf("Ada")}"}` })
    expect(counted).toEqual([3])
  })

  test("stay when they are tokens and would be encrypted, or are not and would be decrypted", async () => {
    const body = `{"name":"${tokenOf("Ada")}"}`
    const kept = await send({ actions: [encryptName], contentType: JSON_TYPE, body })
    expect(kept).toMatchObject({ text: body, isBodyChanged: false })
    expect(kept.report.selections).toMatchObject([{ matched: 1, changed: 0 }])
    const plain = await send({ actions: [decryptName], contentType: JSON_TYPE, body: '{"name":"ev:x"}' })
    expect(plain).toMatchObject({ text: '{"name":"ev:x"}', isBodyChanged: false })
  })

  test.each(["ev:AAAA:4111111111111111:A:A:$", "ev:debug:AAAA:number:4111:1111:1111:$"])(
    "are encrypted when they only look like tokens: %s",
    async (body) => {
      const message = { contentType: JSON_TYPE, body: JSON.stringify({ name: body }) }
      const { text, report } = await send({ ...message, actions: [encryptName] })
      expect(text).not.toContain("4111")
      expect(report.selections).toMatchObject([{ matched: 1, changed: 1 }])
      const opened = await send({ ...message, actions: [decryptName], body: text })
      expect(opened.text).toBe(message.body)
    },
  )

  test("go through all operations in order", async () => {
    const token = tokenOf("Ada", "old")
    const body = `{"name":"${token}"}`
    const encryptNew = action("encrypt", "json", "$.name", "new")
    const resealed = await send({ actions: [decryptName, encryptNew], contentType: JSON_TYPE, body })
    const [, again = ""] = /"name":"(ev:[^"]+)"/.exec(resealed.text ?? "") ?? []
    expect(again).not.toBe(token)
    expect(ciphers.marked.at(-1)).toBe("new")
    const opened = await send({ actions: [encryptNew, decryptName], contentType: JSON_TYPE, body })
    expect(opened.text).toBe('{"name":"Ada"}')
    const unchanged = await send({
      actions: [encryptNew, decryptName],
      contentType: JSON_TYPE,
      body: '{"name":"Bob"}',
    })
    expect(unchanged.text).toBe('{"name":"Bob"}')
    expect(ciphers.decided.at(-1)?.requests).toEqual([{ role: "new", values: 1 }])
  })

  test("are encrypted by the first operation that selects them", async () => {
    const actions = [action("encrypt", "json", "$.name", "first"), action("encrypt", "json", "$.*", "second")]
    const { text, report } = await send({ actions, contentType: JSON_TYPE, body: '{"name":"Ada","b":"c"}' })
    expect(report.selections.map(({ matched, changed }) => [matched, changed])).toEqual([
      [1, 1],
      [2, 1],
    ])
    await send({ actions: [action("decrypt", "json", "$.*")], contentType: JSON_TYPE, body: text })
    expect(ciphers.decided.at(-1)?.requests).toEqual([
      { role: "first", values: 1 },
      { role: "second", values: 1 },
    ])
  })

  test("stay when they are empty strings and the relay says so", async () => {
    const message = { actions: [encryptName], contentType: JSON_TYPE, body: '{"name":""}' }
    expect((await send({ ...message, encryptEmptyStrings: false })).text).toBe('{"name":""}')
    expect((await send(message)).text).toMatch(/^\{"name":"ev:/)
  })

  test.each([
    ["form", FORM_TYPE, "name", "a=1&name=Ada+L%C3%B6ve&b=%zz", /^a=1&name=ev%3A[\w%.-]+&b=%zz$/],
    [
      ...["xml", XML_TYPE, "$.p.name", '<p a="1"><!-- x --><name>Ada &amp; L</name><b/></p>'],
      /^<p a="1"><!-- x --><name>ev:[^<&\s]+<\/name><b\/><\/p>$/,
    ],
  ] as const)("are restored in %s", async (type, contentType, selector, body, sealed) => {
    const encrypted = await send({ actions: [action("encrypt", type, selector)], contentType, body })
    expect(encrypted.report.selections).toMatchObject([{ matched: 1, changed: 1 }])
    expect(encrypted.text).toMatch(sealed)
    const back = await send({
      actions: [action("decrypt", type, selector)],
      contentType,
      body: encrypted.bytes,
    })
    expect(back.text).toBe(body)
  })

  test("are ignored when selections are for another format, and nothing else may pass or is decrypted", async () => {
    for (const contentType of ["image/png", XML_TYPE, "application/pdf", FORM_TYPE]) {
      const message = { contentType, body: '%PDF {"name":"Ada"' }
      const passed = { text: message.body, isBodyChanged: false, error: null }
      const refused = await send({ ...message, actions: [encryptName] })
      expect(refused.error?.code).toBe("invalid-content-type")
      const all = { ...message, passContentTypes: ["*"] }
      expect(await send({ ...all, actions: [encryptName] })).toMatchObject(passed)
      expect(await send({ ...message, actions: [action("decrypt", "json", "$.name")] })).toMatchObject(passed)
    }
  })

  test("are found within content codings, which an answer keeps and an encrypted request loses", async () => {
    const body = '{"name":"Ada"}'
    const codings = [
      ["gzip", gzipSync, gunzipSync],
      ["zstd", zstdCompressSync, zstdDecompressSync],
    ] as const
    for (const [coding, compress, decompress] of codings) {
      const message = {
        actions: [encryptName],
        contentType: JSON_TYPE,
        headers: ["content-encoding", coding, "X-A", "b"],
        body: compress(body),
      }
      const answer = await send({ ...message, direction: "response" })
      expect(decompress(answer.bytes ?? "").toString()).toMatch(/^\{"name":"ev:.*"\}$/)
      expect(answer.rawHeaders).toContain(coding)
      const request = await send(message)
      expect(request.text).toMatch(/^\{"name":"ev:.*"\}$/)
      expect(request.contentLength).toBe(request.bytes?.length)
      expect(request.rawHeaders).toEqual(["Content-Type", JSON_TYPE, "X-A", "b"])
      const decrypted = await send({ ...message, actions: [decryptName], body: compress(request.text ?? "") })
      expect(decompress(decrypted.bytes ?? "").toString()).toBe(body)
    }
  })

  test("are found in a charset other than UTF-8, which the body keeps", async () => {
    const body = Buffer.from('{"é":"ü","name":"Adé"}', "latin1")
    const contentType = "application/json; charset=iso-8859-1"
    const encrypted = await send({ actions: [encryptName], contentType, body })
    expect(encrypted.bytes?.toString("latin1")).toMatch(/^\{"é":"ü","name":"ev:/)
    const back = await send({ actions: [decryptName], contentType, body: encrypted.bytes })
    expect(back.bytes).toEqual(body)
  })
})

describe("message headers", () => {
  test("become tokens and are restored, line by line", async () => {
    const headers = ["X-Card", "4242", "x-other", "1", "x-card", "4343"]
    const encrypted = await send({ actions: [action("encrypt", "header", "x-card")], headers })
    const raw = encrypted.rawHeaders ?? []
    expect(raw.filter((_, index) => index % 2 === 0)).toEqual(["X-Card", "x-other", "x-card"])
    expect([isToken(raw[1] ?? ""), raw[3], isToken(raw[5] ?? "")]).toEqual([true, "1", true])
    const back = await send({ actions: [action("decrypt", "header", "X-CARD")], headers: raw })
    expect(back.rawHeaders).toEqual(headers)
  })

  test("are decided on together with the body, and nothing is opened when one value is refused", async () => {
    const actions = [action("decrypt", "header", "x-card"), decryptName]
    const headers = ["x-card", tokenOf("4242", "pci")]
    const contentType = JSON_TYPE
    const before = ciphers.decided.length
    await send({ actions, headers, contentType, body: `{"name":"${tokenOf("Ada", "pci")}"}` })
    expect(ciphers.decided.slice(before).map(({ requests }) => requests)).toEqual([
      [{ role: "pci", values: 2 }],
    ])
    const refused = await send({
      actions,
      headers,
      contentType,
      body: `{"name":"${tokenOf("Ada", "forbidden")}"}`,
    })
    expect(refused.error).toMatchObject({ code: "decrypt/forbidden", stage: "request" })
  })

  test("are refused with bad-request when a decrypted value would end the header", async () => {
    const headers = ["x-card", tokenOf("a\r\nx-admin: 1")]
    const { error } = await send({ actions: [action("decrypt", "header", "x-card")], headers })
    expect(error?.code).toBe("bad-request")
  })

  test("no longer describe a body that has changed", async () => {
    const headers = [
      ...["Digest", "a", "ETag", '"b"', "Content-MD5", "c", "repr-digest", "d", "X-Digest", "e"],
      ...["Content_MD5", "f", "content_digest", "g", "Repr.Digest", "h"],
    ]
    const message = { actions: [encryptName], contentType: JSON_TYPE, headers }
    const changed = await send({ ...message, body: '{"name":"Ada"}' })
    expect(changed.rawHeaders).toEqual(["Content-Type", JSON_TYPE, "ETag", '"b"', "X-Digest", "e"])
    const same = await send({ ...message, body: '{"other":"Ada"}' })
    expect(same.rawHeaders).toEqual(["Content-Type", JSON_TYPE, ...headers])
  })
})

test("returns the original body, still coded, when it is unchanged", async () => {
  const body = brotliCompressSync('{"other":1}')
  const sent = await send({
    actions: [decryptName],
    contentType: JSON_TYPE,
    headers: ["content-encoding", "br"],
    body,
  })
  expect(sent.bytes).toBe(body)
})

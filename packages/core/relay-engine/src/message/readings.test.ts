import { Readable } from "node:stream"
import { gzipSync } from "node:zlib"
import { isToken } from "@sealway/tokens"
import { describe, expect, test } from "vitest"
import { action, sendMessage } from "./testing/send-message.ts"
import { createTestCiphers } from "./testing/test-cipher.ts"

const JSON_TYPE = "application/json"
const cipher = createTestCiphers().cipher()
const send = (message: Parameters<typeof sendMessage>[1]) => sendMessage(cipher, message)
const sealer = await cipher.sealer(1, [])
const tokenOf = (text: string) => sealer("string", Buffer.from(text), null)
const encryptName = action("encrypt", "json", "$.name")
const decryptName = action("decrypt", "json", "$.name")

describe("a field that some parser reads as an encrypted one", () => {
  const message = { contentType: JSON_TYPE, body: '{"Name":"Ada"}' }

  test("is refused with bad-request, in answers with proxy-error", async () => {
    expect((await send({ ...message, actions: [encryptName] })).error?.code).toBe("bad-request")
    const response = await send({ ...message, actions: [encryptName], direction: "response" })
    expect(response.error).toMatchObject({ code: "proxy-error", stage: "response" })
  })

  test("passes when names are case-sensitive, and when nothing is encrypted", async () => {
    const sensitive = await send({ ...message, actions: [encryptName], caseSensitiveNames: true })
    expect(sensitive.text).toBe(message.body)
    expect((await send({ ...message, actions: [decryptName] })).text).toBe(message.body)
  })

  test("passes when another selection encrypts it", async () => {
    const both = await send({ ...message, actions: [encryptName, action("encrypt", "json", "$.Name")] })
    expect(both.error).toBeNull()
    const [, token = ""] = /^\{"Name":"([^"]+)"\}$/.exec(both.text ?? "") ?? []
    expect(isToken(token)).toBe(true)
  })
})

describe("an element or attribute that some parser reads as an encrypted one", () => {
  const encryptCard = action("encrypt", "xml", "$.o.card")

  test.each(['<o card="4242"/>', "<o><Card>4242</Card></o>"])(
    "is refused with bad-request, in answers with proxy-error: %s",
    async (body) => {
      const message = { contentType: "application/xml", body, actions: [encryptCard] }
      expect((await send(message)).error?.code).toBe("bad-request")
      const response = await send({ ...message, direction: "response" })
      expect(response.error).toMatchObject({ code: "proxy-error", stage: "response" })
      expect((await send({ ...message, caseSensitiveNames: true })).text).toBe(body)
      const decrypts = [action("decrypt", "xml", "$.o.card")]
      expect((await send({ ...message, actions: decrypts })).text).toBe(body)
    },
  )
})

describe("a header that some application reads as an encrypted one", () => {
  const encrypts = action("encrypt", "header", "X-Card")

  test.each(["X_Card", "x_card", "X.Card"])("is refused with bad-request: %s", async (name) => {
    const message = { headers: ["X-Card", "1", name, "4242"] }
    expect((await send({ ...message, actions: [encrypts] })).error?.code).toBe("bad-request")
    expect((await send({ ...message, actions: [action("decrypt", "header", "X-Card")] })).error).toBeNull()
    expect((await send({ ...message, actions: [encrypts], direction: "response" })).error).toBeNull()
  })

  test("passes when another selection encrypts it", async () => {
    const actions = [encrypts, action("encrypt", "header", "x_card")]
    const { error, rawHeaders } = await send({ actions, headers: ["X_Card", "4242"] })
    expect(error).toBeNull()
    expect(isToken(rawHeaders?.[1] ?? "")).toBe(true)
    const decrypted = [encrypts, action("decrypt", "header", "x_card")]
    expect((await send({ actions: decrypted, headers: ["X_Card", "4242"] })).error?.code).toBe("bad-request")
  })
})

describe("a header that some application reads as one that describes the body", () => {
  const message = { contentType: JSON_TYPE, body: "{}" }

  test.each(["Content_Type", "content_encoding"])("is refused with bad-request: %s", async (name) => {
    const headers = [name, "text/plain"]
    expect((await send({ ...message, headers, actions: [encryptName] })).error?.code).toBe("bad-request")
    expect((await send({ ...message, headers, actions: [decryptName] })).error).toBeNull()
    const inHeaders = [action("encrypt", "header", "X-Card")]
    expect((await send({ ...message, headers, actions: inHeaders })).error).toBeNull()
  })
})

describe("a request body of unknown type", () => {
  const unknown: readonly (string | undefined)[] = [
    undefined,
    "text/plain",
    "text/x-json",
    "multipart/mixed; boundary=b",
    "application/xml-external-parsed-entity",
    "application/xml-dtd",
    "application/x-json",
    "application/yaml",
    "application/x-ndjson",
  ]

  test.each(unknown)(
    "is refused with invalid-content-type when it would be encrypted: %s",
    async (contentType) => {
      const message = { ...(contentType && { contentType }), actions: [encryptName], body: '{"name":"Ada"}' }
      expect((await send(message)).error?.code).toBe("invalid-content-type")
      const streamed = await send({ ...message, body: Readable.from([Buffer.from(""), Buffer.from("{")]) })
      expect(streamed.error?.code).toBe("invalid-content-type")
      expect((await send({ ...message, unknownContentTypes: "pass" })).text).toBe(message.body)
      expect((await send({ ...message, actions: [decryptName] })).text).toBe(message.body)
      expect((await send({ ...message, actions: [action("encrypt", "header", "x-a")] })).text).toBe(
        message.body,
      )
    },
  )

  test.each([
    "image/png",
    "Video/MP4",
    "audio/ogg; codecs=opus",
    "application/pdf",
    "application/octet-stream",
  ])("is refused unless all types pass, when no parser looks for fields in it: %s", async (contentType) => {
    const message = { contentType, actions: [encryptName], body: "a" }
    expect((await send(message)).error?.code).toBe("invalid-content-type")
    expect((await send({ ...message, passContentTypes: ["*"] })).text).toBe("a")
  })

  test.each(unknown)("passes when it is empty: %s", async (contentType) => {
    for (const body of [null, "", Readable.from([]), Readable.from([Buffer.alloc(0)])]) {
      const message = { ...(contentType && { contentType }), actions: [encryptName], body }
      const { error, bytes } = await send(message)
      expect([error, bytes?.length ?? 0]).toEqual([null, 0])
    }
  })
})

describe("a request body of a type without fields, of a relay that passes all types it knows", () => {
  const passContentTypes = ["*"]
  const encryptXml = action("encrypt", "xml", "$.a.b")
  const utf16 = (text: string) => Buffer.from(text, "utf16le")

  test.each([
    ["Go", "image/png", '{"name":"Ada"}'],
    ["Go", "application/pdf", '[{"name":"Ada"}]'],
    ["Flask, force=True", "application/octet-stream", ' \n\t{"name":"Ada"}'],
    ["Python, json.loads", "application/octet-stream", utf16('{"name":"Ada"}')],
    ["Python, json.loads", "application/octet-stream", utf16('\ufeff{"name":"Ada"}').swap16()],
    ["Express, type: () => true", "video/mp4", '\ufeff{"name":"Ada"}'],
    ["Go, a text", "application/octet-stream", '"Ada"'],
    ["any, behind much white space", "image/png", `${" ".repeat(5_000)}{"name":"Ada"}`],
    ["formidable", "application/octet-stream; x=json", "Ada"],
    ["formidable", "image/png; x=multipart", "Ada"],
  ])("is refused with invalid-content-type when %s would read it: %s", async (_, contentType, body) => {
    const message = { contentType, passContentTypes, actions: [encryptName] }
    expect((await send({ ...message, body })).error?.code).toBe("invalid-content-type")
    const stream = Readable.from([Buffer.from(body).subarray(0, 1), Buffer.from(body).subarray(1)])
    expect((await send({ ...message, body: stream })).error?.code).toBe("invalid-content-type")
    expect(stream.destroyed).toBe(true)
    expect((await send({ ...message, body, unknownContentTypes: "pass" })).bytes).toEqual(Buffer.from(body))
    expect((await send({ ...message, body, actions: [decryptName] })).bytes).toEqual(Buffer.from(body))
  })

  test("is refused with invalid-content-type when it is coded, because Express decodes any type", async () => {
    const headers = ["Content-Encoding", "gzip"]
    const message = { contentType: "image/png", passContentTypes, headers, body: gzipSync("{}") }
    expect((await send({ ...message, actions: [encryptName] })).error?.code).toBe("invalid-content-type")
    expect((await send({ ...message, actions: [decryptName] })).error).toBeNull()
  })

  test("is refused when it is to be encrypted, and passes when it is another document", async () => {
    const message = { contentType: "image/png", passContentTypes, body: "<a><b>Ada</b></a>" }
    expect((await send({ ...message, actions: [encryptXml] })).error?.code).toBe("invalid-content-type")
    expect((await send({ ...message, actions: [encryptName] })).text).toBe(message.body)
    expect((await send({ ...message, body: "{}", actions: [encryptXml] })).text).toBe("{}")
  })

  test.each([
    ["PNG", "89504e470d0a1a0a"],
    ["JPEG", "ffd8ffe000104a46"],
    ["MP4", "00000018667479706d703432"],
    ["PDF", "255044462d312e37"],
    ["GIF", "474946383961"],
    ["nothing but blanks", "2020"],
  ])("passes byte for byte when it is %s, however it arrives", async (_, hex) => {
    const body = Buffer.concat([Buffer.from(hex, "hex"), Buffer.alloc(hex.length > 4 ? 100_000 : 0, "{")])
    for (const size of [1, 7, 65_536]) {
      const pieces = Array.from({ length: Math.ceil(body.length / size) }, (_each, at) =>
        body.subarray(at * size, (at + 1) * size),
      )
      const sent = await send({
        contentType: "application/octet-stream",
        passContentTypes,
        actions: [encryptName, encryptXml],
        body: Readable.from(size === 1 ? [body] : pieces),
        contentLength: body.length,
      })
      expect([sent.error, sent.contentLength]).toEqual([null, body.length])
      expect(sent.bytes?.equals(body)).toBe(true)
    }
  })

  test("counts as XML or JSON when its type says so", async () => {
    const sent = await send({
      contentType: "image/svg+xml",
      actions: [encryptXml],
      body: "<a><b>Ada</b></a>",
    })
    expect(sent.text).toMatch(/^<a><b>ev:/)
  })
})

describe("a coded request body", () => {
  const form = {
    contentType: "application/x-www-form-urlencoded",
    actions: [action("encrypt", "form", "card")],
  }
  /** Django, Flask, Go and PHP read `card` from a file name before the content. */
  const named = (content: string, name: string) => {
    const gzip = gzipSync(content)
    const flags = Buffer.from([8])
    return Buffer.concat([
      gzip.subarray(0, 3),
      flags,
      gzip.subarray(4, 10),
      Buffer.from(`${name}\0`),
      gzip.subarray(10),
    ])
  }

  test("is forwarded without its coding when it is encrypted, because some parsers look for fields in coded bytes", async () => {
    for (const content of ["a=1", "a=1&card=7"]) {
      const body = named(content, "&card=4242&")
      const headers = ["Content-Encoding", "gzip", "X-A", "b"]
      const sent = await send({ ...form, headers, body })
      expect(sent.rawHeaders).toEqual(["Content-Type", form.contentType, "X-A", "b"])
      expect(sent.text).toMatch(/^a=1(?:&card=ev%3A[^&]+)?$/)
      expect(sent.contentLength).toBe(sent.bytes?.length)
      const decrypted = await send({ ...form, headers, body, actions: [action("decrypt", "form", "card")] })
      expect(decrypted.bytes).toEqual(body)
    }
  })
})

describe("a body in ISO-8859-1 that could be UTF-8", () => {
  const contentType = "application/json; charset=iso-8859-1"

  test.each([
    ["Go", "$.ssn", '{"\u017fsn":"4242"}'],
    ["any that takes JSON for UTF-8", "$.größe", '{"größe":"4242"}'],
  ])("is refused with invalid-content-type: %s", async (_, selector, body) => {
    const message = { contentType, body: Buffer.from(body), actions: [action("encrypt", "json", selector)] }
    expect((await send(message)).error?.code).toBe("invalid-content-type")
    const answer = await send({ ...message, direction: "response" })
    expect(answer.error?.code).toBe("unsupported-content-type-in-response")
    expect((await send({ ...message, actions: [action("decrypt", "json", selector)] })).error).toBeNull()
  })

  test("is refused when it is XML that does not declare it, and passes when it does", async () => {
    const message = {
      contentType: "text/xml; charset=iso-8859-1",
      actions: [action("encrypt", "xml", "$.a.b")],
    }
    const body = Buffer.from("<a><b>1</b><c>\u00c9\u00bb</c></a>", "latin1")
    expect((await send({ ...message, body })).error?.code).toBe("invalid-content-type")
    const declaration = Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?>')
    expect((await send({ ...message, body: Buffer.concat([declaration, body]) })).error).toBeNull()
  })

  test("passes with letters that are not UTF-8", async () => {
    const body = Buffer.from('{"ssn":"1","größe":"\u00abCaf\u00e9\u00bb"}', "latin1")
    const sent = await send({ contentType, body, actions: [action("encrypt", "json", "$.ssn")] })
    expect(sent.error).toBeNull()
  })
})

describe("the query of a target", () => {
  const encrypts = action("encrypt", "query", "card")

  test("is encrypted and decrypted where it is selected, and unchanged elsewhere", async () => {
    const target = "/pay%2F?a=%zz&card=4242+%C3%A9&&b=%2b+&card=&c#x"
    const sent = await send({ actions: [encrypts], target: target.replace("%zz", "1") })
    expect(sent.error).toBeNull()
    const [, first = "", second = ""] =
      /^\/pay%2F\?a=1&card=([^&]*)&&b=%2b\+&card=([^&]*)&c#x$/.exec(sent.target ?? "") ?? []
    for (const token of [first, second]) {
      expect(token).toMatch(/^[A-Za-z0-9%._-]+$/)
      expect(isToken(decodeURIComponent(token))).toBe(true)
    }
    expect(sent.report.selections).toMatchObject([{ type: "query", matched: 2, changed: 2 }])
    const opened = await send({ actions: [action("decrypt", "query", "card")], target: sent.target ?? "" })
    expect(opened.target).toBe("/pay%2F?a=1&card=4242+%C3%A9&&b=%2b+&card=&c#x")
    const left = await send({ actions: [action("decrypt", "query", "card")], target })
    expect(left.target).toBe(target)
  })

  test("is refused with bad-request when a parser reads another parameter as an encrypted one", async () => {
    for (const target of ["/?card[]=1", "/?%5Bcard%5D=1", "/?Card=1", "/?a;card=1", "/?card=%ff"]) {
      expect((await send({ actions: [encrypts], target })).error?.code).toBe("bad-request")
      expect((await send({ actions: [action("decrypt", "query", "card")], target })).target).toBe(target)
    }
    const sensitive = await send({ actions: [encrypts], target: "/?Card=1", caseSensitiveNames: true })
    expect(sensitive.target).toBe("/?Card=1")
  })

  test("may only contain a token where it is selected: encrypt/pre-encrypted-data elsewhere", async () => {
    const token = encodeURIComponent(tokenOf("4242"))
    expect((await send({ actions: [encrypts], target: `/?card=${token}` })).target).toBe(`/?card=${token}`)
    for (const target of [`/?other=${token}`, `/${token}?card=1`, `/?card=1&${token}=1`]) {
      expect((await send({ actions: [encrypts], target })).error?.code).toBe("encrypt/pre-encrypted-data")
    }
  })

  test("is ignored in answers", async () => {
    await expect(send({ actions: [encrypts], direction: "response" })).rejects.toMatchObject({
      code: "invalid-request",
    })
  })
})

describe("the leak watch", () => {
  const CARD = "4242424242424242"
  const decryptsQuery = [action("decrypt", "query", "card")]

  test.each([
    [`/?pan=${CARD}`, "?pan"],
    [`/?a=1&b%20c=x4242%20${CARD.replace(/(....)(?=.)/g, "$1-")}`, "?b c"],
    [`/?${CARD}`, "?"],
    [`/?a=1;b=${CARD}`, "?a"],
    [`/?x-${CARD}=%zz%20${CARD}`, "?x-****************"],
    [`/?card=1&x=${CARD}&card=2`, "?x"],
  ])("checks the query, and names the parameter but not its value: %s", async (target, path) => {
    for (const actions of [[], decryptsQuery]) {
      const { error, report, target: sent } = await send({ actions, target, leakWatch: "alert" })
      expect([error, sent]).toEqual([null, target])
      expect(report.leaks).toEqual([{ direction: "request", path }])
      const blocked = await send({ actions, target, leakWatch: "block" })
      expect(blocked.error?.code).toBe("bad-request")
      expect(blocked.error?.message).not.toContain(CARD)
      expect((await send({ actions, target })).report.leaks).toEqual([])
    }
  })

  test.each<[string, string, string]>([
    ["application/json", `{"a":1,"x":{"${CARD}":null}}`, "$['x']['****************']"],
    ["application/json", `{"x\\u0020${CARD}":{}}`, "$['x ****************']"],
    ["application/json", `{"a":${CARD}.0}`, "$['a']"],
    ["application/xml", `<a><n_${CARD}/></a>`, "<n_****************>"],
    ["application/xml", `<a n-${CARD}="1"/>`, "<n-****************>"],
    ["application/x-www-form-urlencoded", `a=1&${CARD}`, "****************"],
    ["application/x-www-form-urlencoded", `a=1&card+${CARD}=1`, "card ****************"],
    [
      "multipart/form-data; boundary=b",
      `--b\r\nContent-Disposition: form-data; name="${CARD}"\r\n\r\n1\r\n--b--\r\n`,
      "****************",
    ],
  ])(
    "checks the names of fields, and whole numbers with a fraction: %s, %s",
    async (contentType, body, path) => {
      const message = { actions: [], contentType, body }
      expect((await send({ ...message, leakWatch: "alert" })).report.leaks).toEqual([
        { direction: "request", path },
      ])
      const { error } = await send({ ...message, leakWatch: "block" })
      expect([error?.code, error?.message.includes(CARD)]).toEqual(["bad-request", false])
    },
  )

  test("checks the names of parameters", async () => {
    const { report } = await send({ actions: [], target: `/?a=1&${CARD}=1&b`, leakWatch: "alert" })
    expect(report.leaks).toEqual([{ direction: "request", path: "?****************" }])
  })

  test("ignores selected parameters, and text outside the query", async () => {
    for (const target of [`/?card=${CARD}&card=${CARD}`, `/${CARD}?a=1`, "/?", "/"]) {
      const { error, report } = await send({ actions: decryptsQuery, target, leakWatch: "block" })
      expect([error, report.leaks]).toEqual([null, []])
    }
  })

  test("reports at most twenty parameters", async () => {
    const target = `/?${Array.from({ length: 30 }, (_, index) => `p${index}=${CARD}`).join("&")}`
    const { report } = await send({ actions: [], target, leakWatch: "alert" })
    expect(report.leaks).toHaveLength(20)
  })
})

describe("an answer that is to be encrypted and cannot be", () => {
  const message = { actions: [encryptName], direction: "response", unencryptableErrors: "drop-body" } as const
  const headers = [
    ...["Content-Encoding", "gzip", "ETag", '"a"', "Digest", "sha-256=x", "Content-Length", "9"],
    ...["X-Reason", "down", "Retry-After", "3"],
  ]

  test.each([301, 404, 502])("passes without its body when its status is %s", async (status) => {
    for (const body of [gzipSync("<html>"), Readable.from([Buffer.from("<html>")])]) {
      const sent = await send({ ...message, status, headers, contentType: "text/html", body })
      expect(sent.error).toBeNull()
      expect(sent).toMatchObject({ bytes: Buffer.alloc(0), contentLength: 0, isBodyChanged: true })
      expect(sent.rawHeaders).toEqual(["Content-Type", "text/html", "X-Reason", "down", "Retry-After", "3"])
      if (body instanceof Readable) expect(body.destroyed).toBe(true)
    }
  })

  test.each(["application/x-www-form-urlencoded", undefined, "text", "multipart/mixed; boundary=b"])(
    "passes without its body when its type is %s",
    async (contentType) => {
      const sent = await send({ ...message, status: 500, ...(contentType && { contentType }), body: "a" })
      expect([sent.error, sent.text]).toEqual([null, ""])
    },
  )

  test("still has its headers encrypted", async () => {
    const actions = [encryptName, action("encrypt", "header", "X-Card")]
    const sent = await send({ ...message, actions, status: 500, headers: ["X-Card", "4242"], body: "a" })
    expect(isToken(sent.rawHeaders?.[1] ?? "")).toBe(true)
    expect(sent.report.selections).toMatchObject([{ matched: 0 }, { matched: 1, changed: 1 }])
  })

  test.each([
    ["its status tells of success", { status: 200 }],
    ["the relay does not say so", { status: 500, unencryptableErrors: "refuse" }],
  ] as const)("is refused with unsupported-content-type-in-response when %s", async (_, changes) => {
    const { error } = await send({ ...message, contentType: "text/html", body: "a", ...changes })
    expect(error?.code).toBe("unsupported-content-type-in-response")
  })

  test("is refused when it is of a supported type, and malformed", async () => {
    const { error } = await send({ ...message, status: 500, contentType: JSON_TYPE, body: "<html>" })
    expect(error?.code).toBe("proxy-error")
  })

  test("keeps its body when it can be encrypted, or nothing of it would be", async () => {
    const encrypted = await send({ ...message, status: 500, contentType: JSON_TYPE, body: '{"name":"Ada"}' })
    expect(encrypted.text).toMatch(/^\{"name":"ev:/)
    const decrypts = await send({
      ...message,
      actions: [decryptName],
      status: 500,
      contentType: "text/html",
      body: "a",
    })
    expect(decrypts.text).toBe("a")
  })

  test("passes when it is empty, whatever its declared length", async () => {
    for (const contentType of ["text/html", "text"]) {
      for (const body of [null, "", Readable.from([])]) {
        const { error } = await send({ ...message, unencryptableErrors: "refuse", contentType, body })
        expect(error).toBeNull()
      }
    }
  })
})

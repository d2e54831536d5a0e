import { Readable } from "node:stream"
import { gzipSync } from "node:zlib"
import { describe, expect, test } from "vitest"
import { action, sendMessage } from "./testing/send-message.ts"
import { createTestCiphers } from "./testing/test-cipher.ts"

const JSON_TYPE = "application/json"
const FORM_TYPE = "application/x-www-form-urlencoded"
const MULTIPART_TYPE = "multipart/form-data; boundary=b"
const multipart = (content: string) =>
  `--b\r\nContent-Disposition: form-data; name="note"\r\n\r\n${content}\r\n--b--\r\n`

const cipher = createTestCiphers().cipher()
const send = (message: Parameters<typeof sendMessage>[1]) => sendMessage(cipher, message)
const sealer = await cipher.sealer(1, [])
const tokenOf = (text: string) => sealer("string", Buffer.from(text), null)
const encryptName = action("encrypt", "json", "$.name")
const decryptName = action("decrypt", "json", "$.name")

describe("a token in an unexpected place", () => {
  const token = tokenOf("Ada")
  const escaped = token.replace("ev:", "\\u0065v:").replaceAll("/", "\\/")
  test.each([
    ["an unselected field", "body already contains", { body: `{"name":"Ada","other":["${token}"]}` }],
    ["an unselected field, escaped", "body", { body: `{"name":"Ada","other":"${escaped}"}` }],
    ["an unselected field, among other text", "body", { body: `{"other":"see ${token}!"}` }],
    ["an unselected header", "headers already contain", { headers: ["Authorization", `Bearer ${token}`] }],
    ["the target", "target already contains", { target: `/a/${token}` }],
    ["the target, percent-encoded", "target", { target: `/a?b=${encodeURIComponent(token)}` }],
  ])("is refused with encrypt/pre-encrypted-data: %s", async (_, place, message) => {
    const actions = [encryptName, action("encrypt", "header", "x-card")]
    const { error } = await send({ actions, contentType: JSON_TYPE, body: "{}", ...message })
    expect(error?.code).toBe("encrypt/pre-encrypted-data")
    expect(error?.message).toContain(`The request's ${place} `)
  })

  test.each([
    [
      "a form's, with a percent sign that is not encoded",
      FORM_TYPE,
      `other=100%+${encodeURIComponent(token)}`,
    ],
    ["a string with a lone surrogate", JSON_TYPE, `{"other":"\\ud800${escaped}"}`],
    ["a field that is not UTF-8", MULTIPART_TYPE, multipart(`\xff${token}`)],
  ])("is refused in leniently parsed content: %s", async (_, contentType, body) => {
    const actions = [encryptName, action("encrypt", "form", "name")]
    const { error } = await send({ actions, contentType, body: Buffer.from(body, "latin1") })
    expect(error?.code).toBe("encrypt/pre-encrypted-data")
  })

  test("passes when nothing is encrypted, and in responses", async () => {
    const message = {
      contentType: JSON_TYPE,
      headers: ["x-token", token],
      target: `/${token}`,
      body: `{"other":"${token}"}`,
    }
    expect((await send({ ...message, actions: [decryptName] })).text).toBe(message.body)
    const response = await send({ ...message, direction: "response", actions: [encryptName] })
    expect(response.text).toBe(message.body)
  })

  test("is accepted where a selection selects it, in the body and in headers", async () => {
    const actions = [encryptName, action("decrypt", "header", "x-card")]
    const sent = { actions, headers: ["X-Card", token], contentType: JSON_TYPE, body: `{"name":"${token}"}` }
    expect((await send(sent)).rawHeaders?.slice(2)).toEqual(["X-Card", "Ada"])
  })
})

describe("an unreadable message", () => {
  test.each([
    ["malformed JSON", { body: '{"name":' }, "bad-request", "proxy-error"],
    [
      "a body that is too large",
      { body: `{"name":"${"a".repeat(200)}"}`, limits: { maxBodyBytes: 100 } },
      "payload-too-large",
      "proxy-error",
    ],
    [
      "a body that is too large decoded",
      {
        body: gzipSync(`{"name":"${"a".repeat(200)}"}`),
        headers: ["content-encoding", "gzip"],
        limits: { maxBodyBytes: 100 },
      },
      "payload-too-large",
      "proxy-error",
    ],
    [
      "a body that is not in its coding",
      { body: "{}", headers: ["content-encoding", "br"] },
      "bad-request",
      "proxy-error",
    ],
    [
      "an unknown coding",
      { body: "{}", headers: ["content-encoding", "compress"] },
      "invalid-content-type",
      "unsupported-content-type-in-response",
    ],
    [
      "an unknown charset",
      { body: "{}", contentType: "application/json; charset=ebcdic" },
      "invalid-content-type",
      "unsupported-content-type-in-response",
    ],
    [
      "a malformed Content-Type",
      { body: "{}", contentType: "application/json; charset" },
      "invalid-content-type",
      "unsupported-content-type-in-response",
    ],
    [
      "two Content-Types",
      { body: "{}", headers: ["content-type", "text/plain"] },
      "invalid-content-type",
      "unsupported-content-type-in-response",
    ],
  ])("is refused: %s", async (_, message, requestCode, responseCode) => {
    const base = { actions: [encryptName], contentType: JSON_TYPE }
    expect((await send({ ...base, ...message })).error).toMatchObject({ code: requestCode, stage: "request" })
    const response = await send({ ...base, ...message, direction: "response" })
    expect(response.error).toMatchObject({ code: responseCode, stage: "response" })
  })

  test("is refused if its body breaks off, however little of it is read", async () => {
    const reset = () => Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })
    const body = () =>
      new Readable({
        read() {
          this.destroy(reset())
        },
      })
    const messages = [
      { actions: [encryptName], contentType: JSON_TYPE },
      { actions: [], contentType: JSON_TYPE, leakWatch: "alert" as const },
      { actions: [encryptName], contentType: "image/png", passContentTypes: ["image/png"] },
      { actions: [encryptName], contentType: "text/plain" },
    ]
    for (const message of messages) {
      expect((await send({ ...message, body: body() })).error?.code).toBe("bad-request")
      const answer = await send({ ...message, body: body(), direction: "response" })
      expect(answer.error).toMatchObject({ code: "proxy-error", stage: "response" })
    }
  })

  test("is refused for a malformed Content-Type without a body too, but an answer is not", async () => {
    const sent = { actions: [encryptName], contentType: "application/json; charset", body: null }
    expect((await send(sent)).error?.code).toBe("invalid-content-type")
    expect((await send({ ...sent, direction: "response" })).error).toBeNull()
  })

  test("is refused with the same error whatever is wrong with a token", async () => {
    const otherKeys = createTestCiphers()
    const seal = await otherKeys.cipher().sealer(1, [])
    const token = tokenOf("Ada")
    const flipped = token.replace(/.{9}:\$$/, (end) =>
      end.startsWith("A") ? `B${end.slice(1)}` : `A${end.slice(1)}`,
    )
    const tokens = [
      seal("string", Buffer.from("Ada"), null),
      flipped,
      token.replace(/:[^:]+:\$$/, ":AAAA:$"),
      "ev:AAAA:a:b:c:$",
    ]
    const details = new Set<string | undefined>()
    for (const each of tokens) {
      const { error } = await send({
        actions: [decryptName],
        contentType: JSON_TYPE,
        body: `{"name":"${each}"}`,
      })
      expect(error?.code).toBe("bad-request")
      details.add(error?.message)
    }
    expect(details.size).toBe(1)
    const body = `{"name":"${flipped}"}`
    const response = await send({
      actions: [decryptName],
      contentType: JSON_TYPE,
      body,
      direction: "response",
    })
    expect(response.error).toMatchObject({ code: "proxy-error", stage: "response" })
  })

  test("is refused when it has too many values to encrypt", async () => {
    const body = `[${"1,".repeat(250_000)}1]`
    const { error } = await send({
      actions: [action("encrypt", "json", "$[*]")],
      contentType: JSON_TYPE,
      body,
    })
    expect(error?.code).toBe("payload-too-large")
  })

  test("is refused when it is to be sealed with an archived role", async () => {
    const actions = [action("encrypt", "json", "$.name", "archived")]
    const { error } = await send({ actions, contentType: JSON_TYPE, body: '{"name":"Ada"}' })
    expect(error?.code).toBe("internal-server-error")
  })
})

describe("a body that overrides the method of its request", () => {
  const part = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const parts = (method: string) => `${part("name", "Ada")}${part("_method", method)}--b--\r\n`
  const sent = { actions: [action("encrypt", "form", "name")], contentType: MULTIPART_TYPE }
  const streamed = (method: string) => ({
    ...sent,
    body: Readable.from([Buffer.from(parts(method))]),
    limits: { maxBodyBytes: 400 },
    contentLength: 1_000,
  })
  const urlencoded = (body: string) => ({ ...sent, contentType: FORM_TYPE, body })
  const json = (body: string) => ({ actions: [], contentType: JSON_TYPE, body })
  /** Of a request that matches no action of its own. */
  const bare = <Message extends typeof sent>(message: Message) => ({ ...message, actions: [] })

  test.each([
    ["urlencoded", (method: string) => urlencoded(`name=Ada&%5Fmethod=${method}`)],
    ["multipart", (method: string) => ({ ...sent, body: parts(method) })],
    ["multipart, part by part", streamed],
    [
      "urlencoded, without actions, for Symfony and Rack",
      (method: string) => bare(urlencoded(`_method=${method}`)),
    ],
    ["multipart, without actions", (method: string) => bare({ ...sent, body: parts(method) })],
    ["multipart, without actions, part by part", (method: string) => bare(streamed(method))],
    ["upper case, for Slim", (method: string) => urlencoded(`_METHOD=${method}`)],
    ["a dot, which PHP takes for an underscore", (method: string) => urlencoded(`.method=${method}`)],
    ["a header's name", (method: string) => urlencoded(`X-HTTP-Method-Override=${method}`)],
    ["JSON, for Laravel", (method: string) => json(`{"a":1,"_method":"${method}"}`)],
    ["JSON with an escape", (method: string) => json(`{"\\u005fmethod":"${method}"}`)],
    ["JSON with a header's name", (method: string) => json(`{"x-http-method":"${method}"}`)],
  ])("is refused with bad-request when the path has a route for another method: %s", async (_, form) => {
    for (const [sentMethod, other] of [
      ["POST", "put"],
      ["PUT", "post"],
    ] as const) {
      const message = { ...form(other), sentMethod }
      const { error } = await send({ ...message, otherMethod: other.toUpperCase() })
      expect(error?.code).toBe("bad-request")
      expect(
        (await send({ ...form(sentMethod.toLowerCase()), sentMethod, otherMethod: "GET" })).error,
      ).toBeNull()
      expect((await send({ ...form(other), sentMethod })).error).toBeNull()
    }
  })

  test("passes when its fields only resemble those that override the method", async () => {
    for (const body of ["method=put&_methods=put&my_method=put", "a[_method]=put", "_method=post"]) {
      expect((await send({ ...bare(urlencoded(body)), otherMethod: "PUT" })).text).toBe(body)
    }
    for (const body of ['{"method":"put","a":{"_method":"put"}}', '["_method","put"]', "1"]) {
      expect((await send({ ...json(body), otherMethod: "PUT" })).text).toBe(body)
    }
  })

  test("is refused when it does not say what it is, or is a form for some parsers: invalid-content-type", async () => {
    const message = { actions: [], body: "_method=PUT", otherMethod: "PUT" }
    const { error } = await send(message)
    expect([error?.code, error?.message]).toEqual([
      "invalid-content-type",
      expect.stringContaining("has no Content-Type"),
    ])
    expect((await send({ ...message, body: "" })).error).toBeNull()
    const mixed = { ...message, contentType: "multipart/mixed; boundary=b", body: parts("PUT") }
    expect((await send(mixed)).error?.code).toBe("invalid-content-type")
    expect((await send({ ...message, contentType: "text/plain" })).text).toBe(message.body)
  })

  test("is refused when it is a form that cannot be read: bad-request", async () => {
    const message = { ...bare(urlencoded("%zz=1")), otherMethod: "PUT" }
    expect((await send(message)).error?.code).toBe("bad-request")
  })
})

describe("a form of a type that only some parsers read", () => {
  const body = '--b\r\nContent-Disposition: form-data; name="card"\r\n\r\n4\r\n--b--\r\n'
  const types = [
    "multipart/mixed; boundary=b",
    "multipart/related; boundary=b",
    "Multipart/X; boundary=b",
    "text/plain; a=URLEncoded",
    "application/x-url-encoded",
  ]

  test.each(types)(
    "is refused with invalid-content-type when fields or files are encrypted: %s",
    async (contentType) => {
      for (const type of ["form", "file"] as const) {
        const { error } = await send({ actions: [action("encrypt", type, "card")], contentType, body })
        expect(error?.code).toBe("invalid-content-type")
      }
    },
  )

  test.each(types)("passes when nothing of forms is encrypted, or it is empty: %s", async (contentType) => {
    for (const actions of [[], [action("decrypt", "form", "card")]]) {
      expect((await send({ actions, contentType, body })).text).toBe(body)
    }
    const actions = [action("encrypt", "form", "card")]
    expect((await send({ actions, contentType, body: "" })).error).toBeNull()
  })

  test("passes in responses, which no server parses", async () => {
    const message = { contentType: "multipart/mixed; boundary=b", body, direction: "response" } as const
    const actions = [action("decrypt", "form", "card")]
    for (const leakWatch of ["off", "block"] as const) {
      expect((await send({ ...message, actions, leakWatch })).text).toBe(body)
    }
  })

  test("may only have the parameters boundary and charset when fields are encrypted", async () => {
    const sent = { contentType: `${FORM_TYPE}; a=b`, body: "card=4242" }
    const { error } = await send({ ...sent, actions: [action("encrypt", "form", "card")] })
    expect(error?.code).toBe("invalid-content-type")
    expect((await send({ ...sent, actions: [action("decrypt", "form", "card")] })).text).toBe(sent.body)
  })
})

describe("a response that is to be encrypted", () => {
  const message = { actions: [encryptName], direction: "response" } as const
  test.each(["text/html", "application/octet-stream", FORM_TYPE, undefined])(
    "is refused with unsupported-content-type-in-response when it is %s",
    async (contentType) => {
      const { error } = await send({ ...message, ...(contentType && { contentType }), body: "a" })
      expect(error?.code).toBe("unsupported-content-type-in-response")
    },
  )

  test("passes when it is empty, whatever its declared type", async () => {
    for (const body of [null, "", Readable.from([])]) {
      const contentLength = body instanceof Readable ? 0 : null
      expect((await send({ ...message, contentType: "text/html", body, contentLength })).error).toBeNull()
    }
  })

  test("passes when only its headers are to be encrypted, or it is to be decrypted", async () => {
    for (const actions of [[action("encrypt", "header", "x-card")], [decryptName]]) {
      const sent = await send({ actions, direction: "response", contentType: "text/html", body: "a" })
      expect(sent.text).toBe("a")
    }
  })
})

describe("the leak watch", () => {
  const body = '{"name":"Ada","card":{"number":"4242 4242 4242 4242"}}'
  const message = { actions: [encryptName], contentType: JSON_TYPE, body }

  test("reports the path of a card number that no selection selects", async () => {
    const { report, error } = await send({ ...message, leakWatch: "alert" })
    expect(error).toBeNull()
    expect(report.leaks).toEqual([{ direction: "request", path: "$['card']['number']" }])
  })

  test("reports nothing while it is off, in a body or part by part", async () => {
    const parts = { contentType: MULTIPART_TYPE, body: multipart("4242424242424242") }
    for (const sent of [message, { ...parts, actions: [action("encrypt", "file", "doc")] }]) {
      expect((await send({ ...sent, leakWatch: "off" })).report.leaks).toEqual([])
    }
  })

  test("blocks with bad-request, in responses with proxy-error, and still reports", async () => {
    const request = await send({ ...message, leakWatch: "block" })
    expect([request.error?.code, request.report.leaks.length]).toEqual(["bad-request", 1])
    const response = await send({ ...message, leakWatch: "block", direction: "response" })
    expect([response.error?.code, response.error?.stage]).toEqual(["proxy-error", "response"])
  })

  test.each([
    ["a form's field with a percent sign that is not encoded", FORM_TYPE, "note=50% off 4242+4242+4242+4242"],
    ["a string with a lone surrogate", JSON_TYPE, '{"note":"\\ud800 4242 4242 4242 4242"}'],
    ["a field that is not UTF-8", MULTIPART_TYPE, multipart("\xff 4242 4242 4242 4242")],
  ])("finds one in %s, which is parsed leniently", async (_, contentType, sent) => {
    const latin1 = Buffer.from(sent, "latin1")
    const { report, error } = await send({ actions: [], contentType, body: latin1, leakWatch: "block" })
    expect([error?.code, report.leaks.length]).toEqual(["bad-request", 1])
  })

  const hidden = (encoding: string, content: string) =>
    `--b\r\nContent-Disposition: form-data; name="a"\r\n${encoding}\r\n\r\n${content}\r\n--b--\r\n`
  const number = "4242424242424242"
  test.each([
    ["quoted-printable", hidden("Content-Transfer-Encoding: quoted-printable", `=C3=A9 ${number}`)],
    [
      "quoted-printable, with its digits encoded",
      hidden(
        "Content-Transfer-Encoding: Quoted-Printable",
        number.replaceAll("4", "=34").replace("2", "2=\r\n"),
      ),
    ],
    ["base64", hidden("Content-Transfer-Encoding: BASE64", btoa(number))],
    ["base64 that is not", hidden("Content-Transfer-Encoding: base64", ` ${number}`)],
    ["UTF-16", hidden("Content-Type: text/plain; charset=UTF-16", Buffer.from(number, "utf16le").toString())],
  ])("finds one in a field that parsers decode, part by part too: %s", async (_, body) => {
    const sent = { contentType: MULTIPART_TYPE, leakWatch: "block" as const }
    const whole = await send({ ...sent, actions: [], body })
    const streamed = await send({ ...sent, actions: [action("encrypt", "file", "b")], body })
    for (const { error, report } of [whole, streamed]) {
      expect(error?.code).toBe("bad-request")
      expect(report.leaks).toEqual([{ direction: "request", path: "a" }])
    }
  })

  test("passes a field in base64 without one, byte for byte", async () => {
    const body = hidden("Content-Transfer-Encoding: base64", btoa("hello"))
    for (const actions of [[], [action("encrypt", "file", "b")]]) {
      const { text } = await send({ contentType: MULTIPART_TYPE, leakWatch: "block", actions, body })
      expect(text).toBe(body)
    }
  })

  test("blocks a form of a type that only some parsers read with invalid-content-type, and lets it pass when it only alerts", async () => {
    for (const contentType of ["multipart/mixed; boundary=b", "text/plain; x=urlencoded"]) {
      const sent = { actions: [], contentType, body: multipart("4242424242424242") }
      expect((await send({ ...sent, leakWatch: "block" })).error?.code).toBe("invalid-content-type")
      expect((await send({ ...sent, leakWatch: "alert" })).text).toBe(sent.body)
    }
  })

  test("blocks a response with a malformed Content-Type, which may be read as anything", async () => {
    const sent = {
      ...message,
      actions: [],
      contentType: "application/json; charset",
      direction: "response",
    } as const
    expect((await send({ ...sent, leakWatch: "block" })).error?.code).toBe(
      "unsupported-content-type-in-response",
    )
    expect((await send({ ...sent, leakWatch: "alert" })).text).toBe(body)
  })

  test("passes what it cannot read by its type, and what only other formats' values are decrypted in", async () => {
    const actions = [action("decrypt", "xml", "$.a")]
    const sent = { actions, body: "4242424242424242" }
    for (const leakWatch of ["alert", "block"] as const) {
      expect((await send({ ...sent, contentType: "text/plain", leakWatch })).text).toBe(sent.body)
    }
    for (const contentType of [JSON_TYPE, FORM_TYPE, MULTIPART_TYPE]) {
      const unread = await send({ ...sent, contentType, body: "%zz{" })
      expect([unread.error, unread.text]).toEqual([null, "%zz{"])
    }
  })

  test("reports at most 20 leaks of a message, those of its query among them", async () => {
    const target = `/?${"c=4242424242424242&".repeat(15)}`
    const sent = { actions: [], contentType: JSON_TYPE, target, leakWatch: "alert" as const }
    const { report } = await send({ ...sent, body: JSON.stringify(Array(15).fill("4242424242424242")) })
    expect(report.leaks).toHaveLength(20)
  })

  test("does not report a card number that is encrypted", async () => {
    const { report } = await send({
      ...message,
      leakWatch: "block",
      actions: [action("encrypt", "json", "$..*")],
    })
    expect(report.leaks).toEqual([])
  })

  test("lets unreadable content without operations pass, unless it blocks", async () => {
    const unread = { actions: [], contentType: JSON_TYPE, body: '{"a":' }
    expect((await send({ ...unread, leakWatch: "alert" })).text).toBe(unread.body)
    expect((await send({ ...unread, leakWatch: "block" })).error?.code).toBe("bad-request")
    const chunks = ["[", "1,".repeat(100), "2]"].map((each) => Buffer.from(each))
    const limits = { maxBodyBytes: 100 }
    const large = { actions: [], contentType: JSON_TYPE, limits, body: Readable.from(chunks) }
    expect((await send({ ...large, leakWatch: "alert" })).text).toBe(Buffer.concat(chunks).toString())
  })
})

describe("JSON or XML with an encrypted field of a form in a text", () => {
  const XML_TYPE = "application/xml"
  const actions = [
    action("encrypt", "json", "$.card"),
    action("encrypt", "xml", "$.a.card"),
    action("encrypt", "form", "card"),
  ]

  test.each([
    [JSON_TYPE, '{"a":"x&card=4242&y="}'],
    [JSON_TYPE, '"&c%61rd=4242"'],
    [JSON_TYPE, '{"a":"x;card=4242;"}'],
    [JSON_TYPE, gzipSync('{"a":"x&card=4242&y="}')],
    [XML_TYPE, "<a><!-- &card=4242& --></a>"],
    [XML_TYPE, "<a>&amp;card=4242&amp;</a>"],
  ])("is refused with bad-request: %s %s", async (contentType, body) => {
    const headers = Buffer.isBuffer(body) ? ["Content-Encoding", "gzip"] : []
    const { error } = await send({ actions, contentType, body, headers })
    expect(error?.code).toBe("bad-request")
    expect(error?.message).toMatch(/`card` by readers that take any body for a form/)
    const others = actions.slice(0, 2)
    expect((await send({ actions: others, contentType, body, headers })).text).toBe(
      Buffer.isBuffer(body) ? '{"a":"x&card=4242&y="}' : body,
    )
  })

  test.each([
    [JSON_TYPE, '{"a":"Tom & card","b":"https://a.example/?x=1&discard=2","c":"a=card&card"}'],
    [JSON_TYPE, '{"a":"x\\u0026card=4242"}'],
    [XML_TYPE, '<a b="&lt;card&gt;">&quot;x&quot;=card</a>'],
  ])("passes without one: %s %s", async (contentType, body) => {
    expect((await send({ actions, contentType, body })).text).toBe(body)
  })

  test.each([
    [JSON_TYPE, '"&CARD=4242"'],
    [FORM_TYPE, "CARD=4242"],
  ])(
    "passes with the same name in other letter case if names are case-sensitive: %s",
    async (contentType, body) => {
      const message = { actions, contentType, body }
      expect((await send(message)).error?.code).toBe("bad-request")
      expect((await send({ ...message, caseSensitiveNames: true })).text).toBe(body)
    },
  )

  test("is refused with payload-too-large if it could be more than 10,000 fields", async () => {
    const sent = (count: number) => send({ actions, contentType: JSON_TYPE, body: `"${"&=".repeat(count)}"` })
    expect((await sent(10_000)).error).toBeNull()
    expect((await sent(10_001)).error?.code).toBe("payload-too-large")
  })
})

import { Readable } from "node:stream"
import { gzipSync } from "node:zlib"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { PASSABLE_TYPES } from "../headers/media-signatures.ts"
import { action, sendMessage, type TestMessage } from "./testing/send-message.ts"
import { createTestCiphers } from "./testing/test-cipher.ts"

const cipher = createTestCiphers().cipher()
const send = (message: TestMessage) => sendMessage(cipher, message)

/** A body in each type that the relay reads, with a card number where some reader finds `card`. */
const BODIES = {
  json: ["application/json", '{"card":"4242"}'],
  xml: ["application/xml", "<card>4242</card>"],
  form: ["application/x-www-form-urlencoded", "card=4242"],
  file: [
    "multipart/form-data; boundary=b",
    '--b\r\nContent-Disposition: form-data; name="card"\r\n\r\n4242\r\n--b--\r\n',
  ],
} as const
const SELECTORS = { json: "$.card", xml: "$.card", form: "card", file: "card" } as const
const TYPES = ["json", "xml", "form", "file"] as const

describe("a body on a route that encrypts bodies", () => {
  test.each([
    ["a form, as curl -d sends JSON without -H", "json", BODIES.form[0], '{"card":{"number":"4242"}}'],
    ["a form, for Express, Go and NestJS", "json", BODIES.form[0], "card[number]=4242"],
    ["a form in parts, for Express with multer", "json", ...BODIES.file],
    ["XML, for Spring", "json", ...BODIES.xml],
    ["JSON, for Rails and PHP", "form", ...BODIES.json],
    ["an urlencoded form, where only files are selected", "file", ...BODIES.form],
    ["another JSON type, for Spring", "xml", "application/hal+json", '{"card":"4242"}'],
  ] as const)(
    "is refused if it is of another type than its selection: %s",
    async (_, type, contentType, body) => {
      const message = { actions: [action("encrypt", type, SELECTORS[type])], contentType, body }
      const { error } = await send(message)
      expect(error?.code).toBe("invalid-content-type")
      expect(error?.message).toContain(`selections of type ${type},`)
      expect(error?.message).not.toMatch(/4242|form-urlencoded/)
      expect((await send({ ...message, passContentTypes: ["*"] })).text).toBe(body)
      expect((await send({ ...message, body: "" })).error).toBeNull()
      const decrypts = [action("decrypt", type, SELECTORS[type])]
      expect((await send({ ...message, actions: decrypts })).text).toBe(body)
    },
  )

  const JSON_PATCH = {
    contentType: "application/json-patch+json",
    body: '[{"op":"add","path":"/card","value":"4242"}]',
  }

  test.each([
    ["json", "$.card", JSON_PATCH],
    ["json", "$..card", JSON_PATCH],
    ["json", "$.value", JSON_PATCH],
    ["json", "$[0].value", JSON_PATCH],
    ["json", "$[-1].value", JSON_PATCH],
    ["json", "$[1:].value", JSON_PATCH],
    ["json", "$..[0].value", JSON_PATCH],
    ["json", "$[*][*].value", JSON_PATCH],
    ["json", "$[*][?@.card]", JSON_PATCH],
    ["json", "$[*].path", JSON_PATCH],
    ["json", "$.card", { ...JSON_PATCH, contentType: "application/json-patch-query+json" }],
    ["json", "$.card", { ...JSON_PATCH, contentType: "application/vnd.example.json-patch+json" }],
    [
      "xml",
      "$.card",
      { contentType: "application/xml-patch+xml", body: '<diff><add sel="card">4242</add></diff>' },
    ],
  ] as const)("is refused if it is a patch of what is selected: %s, %s", async (type, selector, patch) => {
    const actions = [action("encrypt", type, selector)]
    expect((await send({ ...patch, actions })).error?.code).toBe("invalid-content-type")
    expect((await send({ ...patch, actions, passContentTypes: ["*"] })).report.tolerated).toEqual(["request"])
    const decrypts = [action("decrypt", type, selector)]
    expect((await send({ ...patch, actions: decrypts })).text).toBe(patch.body)
  })

  test.each(["$[*].value", "$[?@.path == '/card'].value", "$..value", "$[*]['value','card']"])(
    "is encrypted if it is a patch whose values are selected: %s",
    async (selector) => {
      const { text } = await send({ ...JSON_PATCH, actions: [action("encrypt", "json", selector)] })
      expect(text).toMatch(/"path":"\/card","value":"ev:/)
    },
  )

  test.each([
    ["a JSON patch", '[{"op":"add","path":"/card","value":"4242"}]'],
    ["one in an envelope", '{"changes":{"list":[{"value":["4242"],"path":"/card","op":"x-add"}]}}'],
    ["one operation alone", '{"path":"","op":"replace","value":{"number":4242}}'],
    ["names in other letter case", '[{"OP":"Add","Path":"/card","vaLue":true}]'],
    ["escaped names", '[{"\\u006fp":"add","p\\u0061th":"/card","value":"4242"}]'],
    ["two values, one of them selected", '[{"op":"add","path":"/a","value":null,"Value":"4242"}]'],
    ["a JSON patch, for readers that skip separators", '[{"_o-p ":"add","pa_th":"/card","-value":"4242"}]'],
    ["a patch of SCIM", '{"Operations":[{"op":"Add","value":{"number":"4242"}}]}'],
    ["its Operations in other letter case", '{"a":1,"operations":[1,{"op":"add","value":"4242"}]}'],
  ])("is refused if it is a patch by its content, in requests and answers: %s", async (_, body) => {
    const message = { contentType: "application/json", body, actions: [action("encrypt", "json", "$.card")] }
    expect((await send(message)).error?.code).toBe("bad-request")
    expect((await send({ ...message, direction: "response" })).error?.code).toBe("proxy-error")
    expect((await send({ ...message, caseSensitiveNames: true })).text).toBe(body)
    const decrypts = [action("decrypt", "json", "$.card")]
    expect((await send({ ...message, actions: decrypts })).text).toBe(body)
    const all = await send({
      ...message,
      actions: [action("encrypt", "json", "$..['value','Value','vaLue','-value']")],
    })
    expect(all.error).toBeNull()
    expect(all.text).not.toContain("4242")
  })

  test.each([
    '[{"op":"remove","path":"/card"},{"op":"add","path":"/a","value":null},{"op":"add","path":"/b","value":{}}]',
    '[{"op":"move","from":"/card","path":"/a"}]',
    '{"filter":[{"op":"eq","field":"age","value":7}],"operations":[{"path":"/a","value":7}]}',
    '{"ops":"add","path":"/a","value":"7"}',
    '{"operations":[],"filter":{"op":"eq","value":7}}',
  ])("passes if it says of no value where that belongs: %s", async (body) => {
    const actions = [action("encrypt", "json", "$.card")]
    expect((await send({ contentType: "application/json", body, actions })).text).toBe(body)
  })

  test("passes if it is a patch of which a filter chooses values, but no container that it does not choose", async () => {
    const actions = [action("encrypt", "json", "$[?@.path == '/card'].value")]
    const patch = (...operations: string[]) =>
      send({ ...JSON_PATCH, actions, body: `[${operations.map((rest) => `{"op":"add",${rest}}`).join()}]` })
    const passed = await patch('"path":"/card","value":{"number":"4242"}', '"path":"/name","value":"Ada"')
    expect(passed.text).toMatch(/"number":"ev:[^,]*,\{"op":"add","path":"\/name","value":"Ada"\}\]$/)
    expect((await patch('"path":"","value":{"card":"4242"}')).error?.code).toBe("bad-request")
    // What the documentation says of other spellings, and of values that are moved.
    const moved = ['{"op":"add","path":"/a","value":"4242"}', '{"op":"move","from":"/a","path":"/card"}']
    for (const body of [JSON_PATCH.body.replace("card", "Card"), `[${moved.join()}]`]) {
      expect((await send({ ...JSON_PATCH, actions, body })).text).toBe(body)
    }
    const all = [action("encrypt", "json", "$[*].value")]
    expect((await send({ ...JSON_PATCH, actions: all, body: `[${moved.join()}]` })).text).not.toContain(
      "4242",
    )
    expect((await patch('"path":"/","value":["4242"]')).error?.code).toBe("bad-request")
  })

  test("is encrypted if it is a merge patch, which has the fields of the document", async () => {
    const actions = [action("encrypt", "json", "$.card")]
    const { text } = await send({
      actions,
      contentType: "application/merge-patch+json",
      body: BODIES.json[1],
    })
    expect(text).toMatch(/^\{"card":"ev:/)
  })

  test("is refused if only a selection that decrypts is for its type, and told the types that encrypt", async () => {
    const actions = [
      action("encrypt", "json", "$.card"),
      action("decrypt", "form", "token"),
      action("encrypt", "file", "scan"),
      action("encrypt", "header", "x-card"),
      action("encrypt", "query", "card"),
    ]
    const { error } = await send({ actions, contentType: BODIES.form[0], body: "card=4242" })
    expect(error?.code).toBe("invalid-content-type")
    expect(error?.message).toContain("selections of type json, file, and the request's body is")
  })

  test("passes with a type that nothing describes only if it is a request, and the relay says so", async () => {
    const actions = [action("encrypt", "json", "$.card")]
    const sent = { actions, contentType: "text/plain", body: "card=4242" }
    const types = { unknownContentTypes: "pass", passContentTypes: ["*"] } as const
    expect((await send({ ...sent, ...types })).text).toBe(sent.body)
    expect((await send({ ...sent, unknownContentTypes: "pass" })).text).toBe(sent.body)
    expect((await send({ ...sent, passContentTypes: ["*"] })).error?.code).toBe("invalid-content-type")
    const blank = { ...sent, passContentTypes: ["*"], contentType: "image/png" }
    expect((await send({ ...blank, body: " ".repeat(1_023) })).error).toBeNull()
    expect((await send({ ...blank, body: " ".repeat(1_024) })).error?.code).toBe("invalid-content-type")
    const refusal = "unsupported-content-type-in-response"
    for (const contentType of ["text/plain", "image/png"]) {
      const answer = { ...sent, ...types, contentType, direction: "response" } as const
      expect((await send(answer)).error?.code).toBe(refusal)
    }
  })

  test.each([
    ["XML, which the client chose by Accept", ...BODIES.xml],
    ["a form", ...BODIES.form],
    ["a page", "text/html", "4242"],
    ["a file that passes where it is listed", "application/pdf", "4242"],
  ])("is refused in an answer: %s", async (_, contentType, body) => {
    const message = { direction: "response", actions: [action("encrypt", "json", "$.card")] } as const
    const { error } = await send({ ...message, contentType, body })
    expect(error).toMatchObject({ code: "unsupported-content-type-in-response", stage: "response" })
  })

  test("never leaves with a value that only another type's selection would encrypt", async () => {
    const kinds = fc.subarray([...TYPES], { minLength: 1 })
    const direction = fc.constantFrom("request" as const, "response" as const)
    await fc.assert(
      fc.asyncProperty(kinds, fc.constantFrom(...TYPES), direction, async (selected, sent, where) => {
        const actions = selected.map((type) => action("encrypt", type, SELECTORS[type]))
        const [contentType, body] = BODIES[sent]
        const { text } = await send({ actions, direction: where, contentType, body })
        // A part without a filename is a field: only a selection of fields encrypts it.
        const isField = sent === "file" && !selected.includes("form")
        if (!isField) expect(text ?? "").not.toContain("4242")
      }),
    )
  })

  test("is noted if it passes only because the relay passes what it does not describe", async () => {
    const actions = [action("encrypt", "json", "$.card")]
    const tolerated = async (message: Partial<TestMessage>) =>
      (await send({ actions, body: "a", ...message })).report.tolerated
    const all = { passContentTypes: ["*"] }
    expect(await tolerated({ ...all, contentType: BODIES.form[0] })).toEqual(["request"])
    expect(await tolerated({ ...all, contentType: "image/png" })).toEqual(["request"])
    expect(await tolerated({ contentType: "text/plain", unknownContentTypes: "pass" })).toEqual(["request"])
    const answer = { ...all, direction: "response", contentType: BODIES.xml[0] } as const
    expect(await tolerated(answer)).toEqual(["response"])
    expect(await tolerated({ ...all, contentType: "application/json", body: "{}" })).toEqual([])
    const bytes = "application/octet-stream"
    expect(await tolerated({ passContentTypes: [bytes], contentType: bytes })).toEqual(["request"])
    const png = {
      passContentTypes: ["image/png"],
      contentType: "image/png",
      body: Buffer.from("89504e470d0a1a0a", "hex"),
    }
    expect(await tolerated(png)).toEqual([])
    expect(
      await tolerated({ ...all, actions: [action("decrypt", "json", "$.card")], contentType: "image/png" }),
    ).toEqual([])
  })
})

describe("a form that some reader takes for JSON", () => {
  const inParts = '{"card":"4242"}\r\n--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n'

  test.each([
    ["form", BODIES.form[0], '{"card":{"number":"4242"}}'],
    ["form", BODIES.file[0], inParts],
    ["file", BODIES.file[0], inParts],
  ] as const)(
    "is refused with bad-request if it is encrypted by a selection of type %s: %s",
    async (type, contentType, body) => {
      const message = { contentType, body }
      expect((await send({ ...message, actions: [action("encrypt", type, "pan")] })).error?.code).toBe(
        "bad-request",
      )
      expect((await send({ ...message, actions: [action("decrypt", type, "pan")] })).text).toBe(body)
    },
  )
})

describe("a body of a type that the relay lists", () => {
  const PNG = "89504e470d0a1a0a0000000d49484452"
  const CONTENTS: readonly (readonly [type: string, hex: string])[] = [
    ["image/png", PNG],
    ["image/jpeg", "ffd8ffe000104a46"],
    ["image/gif", "474946383961"],
    ["image/webp", "52494646aabbccdd5745425056503820"],
    ["video/mp4", "00000018667479706d703432"],
    ["audio/mpeg", "494433030000"],
    ["application/pdf", "255044462d312e37"],
    ["application/zip", "504b0304"],
  ]
  const actions = [action("encrypt", "json", "$.card"), action("encrypt", "form", "card")]

  test.each(CONTENTS)("passes byte for byte if it begins like its type: %s", async (contentType, hex) => {
    const body = Buffer.concat([Buffer.from(hex, "hex"), Buffer.alloc(100_000, "{")])
    const message = { actions, contentType, passContentTypes: PASSABLE_TYPES.filter((type) => type !== "*") }
    for (const size of [3, 65_536]) {
      const pieces = [body.subarray(0, size), body.subarray(size)]
      for (const direction of ["request", "response"] as const) {
        const sent = await send({
          ...message,
          direction,
          body: Readable.from(pieces),
          contentLength: body.length,
        })
        expect([sent.error, sent.contentLength]).toEqual([null, body.length])
        expect(sent.bytes?.equals(body)).toBe(true)
      }
    }
    const other = await send({ ...message, passContentTypes: ["font/woff"], body })
    expect(other.error?.code).toBe("invalid-content-type")
  })

  test.each([
    ["a form, for Bottle", "card=4242"],
    ["JSON, for Go", '{"card":"4242"}'],
    ["JSON behind a comment, for Ruby, Gson and fastjson", '/**/{"card":"4242"}'],
    ["JSON behind a line of a comment, for Ruby and fastjson", '#x\n{"card":"4242"}'],
    ["JSON behind Gson's prefix against execution", ')]}\'\n{"card":"4242"}'],
    ["XML, for Spring", "<card>4242</card>"],
    ["another type's content", Buffer.from("ffd8ffe000104a46", "hex")],
    ["the first half of its signature", Buffer.from(PNG, "hex").subarray(0, 4)],
    ["a blank, then its signature", Buffer.concat([Buffer.from(" "), Buffer.from(PNG, "hex")])],
    ["its own content, compressed", gzipSync(Buffer.from(PNG, "hex"))],
  ])("is refused if it is something else: %s", async (_, body) => {
    const message = { actions, contentType: "image/png", passContentTypes: ["image/png"] }
    const stream = Readable.from([Buffer.from(body)])
    for (const each of [body, stream]) {
      expect((await send({ ...message, body: each })).error?.code).toBe("invalid-content-type")
    }
    expect(stream.destroyed).toBe(true)
    const answer = await send({ ...message, direction: "response", body })
    expect(answer.error?.code).toBe("unsupported-content-type-in-response")
  })

  test.each([
    ["a coding, which Express decodes", "image/png", ["Content-Encoding", "gzip"]],
    ["a parameter that formidable reads", "image/png; x=json", []],
  ])("is refused with %s", async (_, contentType, headers) => {
    const message = { actions, contentType, headers, passContentTypes: ["image/png"] }
    const { error } = await send({ ...message, body: Buffer.from(PNG, "hex") })
    expect(error?.code).toBe("invalid-content-type")
  })

  test("passes with any content if it is octet-stream", async () => {
    const contentType = "application/octet-stream"
    const message = { actions, contentType, body: '{"card":"4242"}' }
    expect((await send({ ...message, passContentTypes: [contentType] })).text).toBe(message.body)
    expect((await send({ ...message, passContentTypes: ["image/png"] })).error?.code).toBe(
      "invalid-content-type",
    )
  })

  test("passes when it arrives with a type that nothing describes, and is empty", async () => {
    const message = { actions, contentType: "text/plain" }
    expect((await send({ ...message, body: Readable.from([Buffer.alloc(0)]) })).error).toBeNull()
    const filled = Readable.from([Buffer.alloc(0), Buffer.from("4")])
    expect((await send({ ...message, body: filled })).error?.code).toBe("invalid-content-type")
  })

  test("passes when it is empty, of unknown length", async () => {
    const sent = await send({
      actions,
      contentType: "image/png",
      passContentTypes: ["image/png"],
      body: Readable.from([]),
    })
    expect([sent.error, sent.bytes?.length]).toEqual([null, 0])
  })
})

import { Readable } from "node:stream"
import { describe, expect, test } from "vitest"
import type { Action, SubjectSource } from "../operations/selection.ts"
import { action, sendMessage, type TestMessage } from "./testing/send-message.ts"
import { createTestCiphers } from "./testing/test-cipher.ts"

const HEADER: SubjectSource = { type: "header", selector: "X-Service-Data-Subject" }
const FIELD: SubjectSource = { type: "json", selector: "$.person.id" }
const JSON_TYPE = "application/json"

const encrypt = (
  dataSubject: SubjectSource | null,
  selector = "$.name",
  type: "json" | "header" | "form" | "query" = "json",
) => ({ ...action("encrypt", type, selector), ...(dataSubject !== null && { dataSubject }) })

/** Sends a message, and tells for whom its values were sealed: null for nobody. */
async function send(actions: readonly Action[], message: Partial<TestMessage>) {
  const named: unknown[] = []
  const base = createTestCiphers().cipher()
  const cipher = {
    ...base,
    sealer(values: number, roles: readonly string[], dataSubject?: string | null) {
      named.push(dataSubject ?? null)
      return base.sealer(values, roles)
    },
  }
  const { error, text, rawHeaders } = await sendMessage(cipher, {
    actions,
    contentType: JSON_TYPE,
    ...message,
  })
  return { named, code: error?.code ?? null, detail: error?.message, text, rawHeaders }
}

describe("the data subject of a message", () => {
  test.each(["request", "response"] as const)(
    "is the one that its header names, in a %s",
    async (direction) => {
      const sent = await send([encrypt(HEADER)], {
        direction,
        body: '{"name":"Ada"}',
        headers: ["x-service-DATA-subject", "4711", "X-Other", "1"],
      })
      expect(sent).toMatchObject({
        named: ["4711"],
        code: null,
        text: expect.stringMatching(/^{"name":"ev:/),
      })
      // The id is for Sealway.
      expect(sent.rawHeaders).toEqual(["Content-Type", JSON_TYPE, "X-Other", "1"])
    },
  )

  test("is passed on in any other header", async () => {
    const named = encrypt({ type: "header", selector: "X-Customer" })
    const headers = ["X-Customer", "4711", "X-Service-Data-Subject", "4712"]
    const sent = await send([named], { body: '{"name":"Ada"}', headers })
    expect(sent.named).toEqual(["4711"])
    expect(sent.rawHeaders).toEqual(["Content-Type", JSON_TYPE, ...headers])
  })

  test.each([
    ['"4711"', "4711"],
    ["4711", "4711"],
    ["-1", "-1"],
    ["9007199254740991", "9007199254740991"],
    ['"9007199254740993"', "9007199254740993"],
    ['"\\u0034711"', "4711"],
    [`"${"x".repeat(128)}"`, "x".repeat(128)],
    [`"${"\\u0078".repeat(128)}"`, "x".repeat(128)],
  ])("is the one that its JSON body names: %s", async (id, expected) => {
    const sent = await send([encrypt(FIELD)], { body: `{"person":{"id":${id}},"name":"Ada"}` })
    expect(sent).toMatchObject({ named: [expected], code: null })
    expect(sent.text).toContain(`{"person":{"id":${id}},"name":"ev:`)
  })

  test("is read before the id itself is encrypted", async () => {
    const sent = await send([encrypt(FIELD, "$..*")], { body: '{"person":{"id":"4711"},"name":"Ada"}' })
    expect(sent).toMatchObject({ named: ["4711"], code: null })
    expect(sent.text).not.toContain("4711")
  })

  test("is looked up in a JSON body of which nothing is encrypted", async () => {
    const body = '{"person":{"id":"4711"}}'
    const sent = await send([encrypt(FIELD, "X-Name", "header")], { body, headers: ["X-Name", "Ada"] })
    expect(sent).toMatchObject({ named: ["4711"], code: null, text: body })
  })

  test("may be another one for each action, and none", async () => {
    const sent = await send(
      [
        encrypt(FIELD),
        encrypt({ type: "json", selector: "$.to" }, "$.note"),
        encrypt(null, "$.sum"),
        encrypt(HEADER, "$.x"),
      ],
      { body: '{"person":{"id":"a"},"to":"b","name":"Ada","note":"n","sum":1}' },
    )
    expect(sent).toMatchObject({ named: ["a", "b", null], code: null })
  })

  test("is not needed where nothing is encrypted", async () => {
    const body = '{"other":1}'
    for (const source of [FIELD, HEADER]) {
      expect(await send([encrypt(source)], { body })).toMatchObject({ named: [], code: null, text: body })
      expect(await send([encrypt(source)], { body: null })).toMatchObject({ named: [], code: null })
    }
  })

  test.each([
    ["missing", "{}"],
    ["null", '{"id":null}'],
    ["empty", '{"id":""}'],
    ["a boolean", '{"id":true}'],
    ["no integer", '{"id":4711.0}'],
    ["an integer that some parsers round to another", '{"id":9007199254740993}'],
    ["there twice", '{"id":"a","id":"a"}'],
    ["there twice, once as null", '{"id":"a","id":null}'],
    ["there twice, once as an empty object", '{"id":"a","id":{}}'],
    ["in an object that is there twice", '{"id":"a"},"person":null'],
    ["there in another letter case too", '{"id":"a","ID":"b"}'],
    ["in an object that is there in another letter case too", '{"id":"a"},"Person":{"id":"b"}'],
    ["an object of two values", '{"id":{"a":"1","b":"2"}}'],
    ["an object of one value", '{"id":{"$ne":"a"}}'],
    ["a list of one value", '{"id":["a"]}'],
    ["longer than 128 characters", `{"id":"${"x".repeat(129)}"}`],
    ["with a space", '{"id":"a b"}'],
    ["with a comma", '{"id":"a,b"}'],
    ["not ASCII", '{"id":"é"}'],
    ["a token", `{"id":"ev:Tk9D:${"A".repeat(16)}:${"A".repeat(44)}:${"A".repeat(22)}:$"}`],
  ])("refuses the message where it is %s, and seals nothing", async (_what, person) => {
    const body = `{"person":${person},"name":"Ada"}`
    const sent = await send([encrypt(FIELD)], { body })
    expect(sent).toMatchObject({ named: [], text: null })
    expect(["bad-request", "encrypt/pre-encrypted-data"]).toContain(sent.code)
    const response = await send([encrypt(FIELD)], { body, direction: "response" })
    expect(response).toMatchObject({ code: "proxy-error", named: [], text: null })
  })

  test("is the one with exactly its name, for a destination that distinguishes names", async () => {
    const body = '{"person":{"ID":"b","id":"a"},"name":"Ada"}'
    const sent = await send([encrypt(FIELD)], { body, caseSensitiveNames: true })
    expect(sent).toMatchObject({ named: ["a"], code: null })
  })

  test.each([
    ["missing", []],
    ["there twice", ["X-Service-Data-Subject", "a", "x-service-data-subject", "a"]],
    ["a list", ["X-Service-Data-Subject", "a,b"]],
    ["empty", ["X-Service-Data-Subject", ""]],
    ["Latin-1", ["X-Service-Data-Subject", "\xe9"]],
  ])("refuses the message where its header is %s", async (_what, headers) => {
    const sent = await send([encrypt(HEADER)], { body: '{"name":"Ada"}', headers })
    expect(sent).toMatchObject({ code: "bad-request", named: [], text: null })
    expect(sent.detail).toContain("data subject")
  })

  test("refuses a request with a header that applications read as the one with the id", async () => {
    const named = encrypt({ type: "header", selector: "X-Customer" }, "name", "query")
    const headers = ["X-Customer", "4711", "X_Customer", "4712"]
    const sent = await send([named], { target: "/?name=Ada", headers })
    expect(sent).toMatchObject({ code: "bad-request", named: [] })
  })

  test("refuses a form whose id would be in a JSON body", async () => {
    const sent = await send([encrypt(FIELD, "name", "form")], {
      contentType: "application/x-www-form-urlencoded",
      body: "name=Ada&person.id=4711",
    })
    expect(sent).toMatchObject({ code: "bad-request", named: [] })
  })

  test("is that of all fields of a form that is passed on as it arrives", async () => {
    const body = '--B\r\nContent-Disposition: form-data; name="name"\r\n\r\nAda\r\n--B--\r\n'
    const stream = () => Readable.from([Buffer.from(body)])
    const form = { contentType: "multipart/form-data; boundary=B", contentLength: 10_000_000 }
    const actions = [encrypt(HEADER, "name", "form")]
    const headers = ["X-Service-Data-Subject", "4711"]
    const sent = await send(actions, { ...form, body: stream(), headers })
    expect(sent).toMatchObject({ named: ["4711"], code: null })
    expect(sent.text).toContain("ev:")
    expect(sent.rawHeaders).not.toContain("4711")
    expect(await send(actions, { ...form, body: stream() })).toMatchObject({ code: "bad-request", named: [] })
  })
})

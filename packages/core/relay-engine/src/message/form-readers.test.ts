import { Readable } from "node:stream"
import { describe, expect, test } from "vitest"
import { FORM_READER_CASES, PLAINTEXT } from "./testing/form-reader-cases.ts"
import { action, sendMessage } from "./testing/send-message.ts"
import { createTestCiphers } from "./testing/test-cipher.ts"

const cipher = createTestCiphers().cipher()
const bytesOf = (body: string) => Buffer.from(body, "latin1")
const CASES = FORM_READER_CASES.map((each) => ({ ...each, by: each.readers.join(", ") }))

describe("a form in which some parser would read plaintext as an encrypted field", () => {
  test.each(CASES)("is refused: $what ($by)", async ({ selection, contentType, body, code }) => {
    const actions = [action("encrypt", selection.type, selection.selector)]
    const { error } = await sendMessage(cipher, { actions, contentType, body: bytesOf(body) })
    expect(error?.code).toBe(code)
    expect(error?.message).not.toContain(PLAINTEXT)
  })

  test.each(CASES.filter(({ contentType }) => contentType.startsWith("multipart")))(
    "is refused as a stream, too: $what ($by)",
    async ({ selection, contentType, body, code }) => {
      const { error } = await sendMessage(cipher, {
        actions: [action("encrypt", selection.type, selection.selector)],
        contentType,
        body: Readable.from([bytesOf(body)]),
        contentLength: 10_000_000,
      })
      expect(error?.code).toBe(code)
    },
  )

  test("is refused before anything of it is decrypted", async () => {
    const ciphers = createTestCiphers()
    const seal = await ciphers.cipher().sealer(1, [])
    const part = (name: string, content: string) =>
      `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`
    const { error } = await sendMessage(ciphers.cipher(), {
      actions: [
        action("decrypt", "form", "note"),
        action("encrypt", "file", "doc"),
        action("encrypt", "form", "card"),
      ],
      contentType: "multipart/form-data; boundary=B",
      body: `${part("note", seal("string", Buffer.from("x"), "pci"))}${part("card[]", "1")}--B--\r\n`,
    })
    expect([error?.code, ciphers.decided]).toEqual(["bad-request", []])
  })
})

describe("a form of which nothing is encrypted", () => {
  const isForNames = CASES.filter(
    ({ code, what }) => code === "bad-request" && !/boundary|line feeds/.test(what),
  )

  test.each(isForNames)("passes byte for byte: $what ($by)", async ({ selection, contentType, body }) => {
    const actions = [action("decrypt", selection.type, selection.selector)]
    const readable = body.replace(/^Content-Transfer-Encoding: [a-z0-9-]+\r\n/m, "")
    const sent = await sendMessage(cipher, { actions, contentType, body: bytesOf(readable) })
    expect(sent.error).toBeNull()
    expect(sent.bytes?.toString("latin1")).toBe(readable)
  })
})

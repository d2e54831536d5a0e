import { Readable } from "node:stream"
import { describe, expect, test } from "vitest"
import { FORM_READER_CASES, PLAINTEXT } from "./testing/form-reader-cases.ts"
import { action, sendMessage } from "./testing/send-message.ts"
import { createTestCiphers } from "./testing/test-cipher.ts"

const cipher = createTestCiphers().cipher()
const bytesOf = (body: string) => Buffer.from(body, "latin1")
const CASES = FORM_READER_CASES.map((each) => ({ ...each, by: each.readers.join(", ") }))

describe("a form in which some reader would take plaintext for an encrypted field", () => {
  test.each(CASES)("is refused: $what ($by)", async ({ selection, contentType, body, code }) => {
    const actions = [action("encrypt", selection.type, selection.selector)]
    const { error } = await sendMessage(cipher, { actions, contentType, body: bytesOf(body) })
    expect(error?.code).toBe(code)
    expect(error?.message).not.toContain(PLAINTEXT)
  })

  test.each(CASES.filter(({ contentType }) => contentType.startsWith("multipart")))(
    "is refused while it streams, too: $what ($by)",
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
})

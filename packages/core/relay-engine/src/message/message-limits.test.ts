import { isToken, longestTokenOf } from "@sealway/tokens"
import { describe, expect, test } from "vitest"
import { MESSAGE_LIMITS } from "./message-limits.ts"
import { action, sendMessage } from "./testing/send-message.ts"
import { createTestCiphers } from "./testing/test-cipher.ts"

const cipher = createTestCiphers().cipher()
const JSON_TYPE = "application/json"
const XML_TYPE = "application/xml"
const FORM_TYPE = "application/x-www-form-urlencoded"
const ROLE = "a".repeat(20)

test("uses 1,048,576 and 1,024 bytes for MB and KB", () => {
  expect(MESSAGE_LIMITS).toMatchObject({
    maxPlainBodyBytes: 5_242_880,
    maxFileBytes: 26_214_400,
    maxMultipartBytes: 31_457_280,
  })
})

describe("a sealed header", () => {
  const send = (kind: "encrypt" | "decrypt", value: string) =>
    sendMessage(cipher, { actions: [action(kind, "header", "X-Card", ROLE)], headers: ["X-Card", value] })
  // Longer by `boolean:`, `debug:` and the id of a data subject, which this one does not have.
  const largest = [...Array(30_000).keys()].findLast((size) => longestTokenOf(size) - 36 <= 24 * 1_024) ?? 0

  test("survives a round trip when its token has the maximum size", async () => {
    const { rawHeaders = [] } = await send("encrypt", "x".repeat(largest))
    expect([isToken(rawHeaders[1] ?? ""), rawHeaders[1]?.length]).toEqual([true, 24 * 1_024])
    expect((await send("decrypt", rawHeaders[1] ?? "")).rawHeaders?.[1]).toBe("x".repeat(largest))
  })

  test("is refused with payload-too-large when its token would be larger", async () => {
    expect((await send("encrypt", "x".repeat(largest + 1))).error?.code).toBe("payload-too-large")
  })
})

describe("a request body without decryption", () => {
  const limits = { maxPlainBodyBytes: 100, maxBodyBytes: 1_000 }
  const send = (
    kind: "encrypt" | "decrypt",
    type: "json" | "xml" | "form",
    bytes: number,
    contentType = JSON_TYPE,
  ) =>
    sendMessage(cipher, {
      actions: [action(kind, type, type === "form" ? "a" : "$.a")],
      contentType,
      body: bodyOf(contentType, bytes),
      limits,
    })
  const bodyOf = (contentType: string, bytes: number) => {
    if (contentType === XML_TYPE) return `<b>${"x".repeat(bytes - 7)}</b>`
    return contentType === FORM_TYPE ? `b=${"x".repeat(bytes - 2)}` : `{"b":"${"x".repeat(bytes - 8)}"}`
  }

  test.each([
    ["encrypt", "json", JSON_TYPE],
    ["encrypt", "form", FORM_TYPE],
    ["decrypt", "xml", JSON_TYPE],
    ["decrypt", "form", XML_TYPE],
    ["decrypt", "json", FORM_TYPE],
    ["decrypt", "json", "text/plain"],
    ["decrypt", "form", "text/plain"],
  ] as const)("may have at most 100 bytes (%s %s of %s)", async (kind, type, contentType) => {
    expect((await send(kind, type, 100, contentType)).error).toBeNull()
    expect((await send(kind, type, 101, contentType)).error?.code).toBe("payload-too-large")
  })

  test.each([
    ["json", JSON_TYPE],
    ["xml", XML_TYPE],
    ["form", FORM_TYPE],
  ] as const)("may be larger if values of its format are decrypted: %s", async (type, contentType) => {
    expect((await send("decrypt", type, 1_000, contentType)).error).toBeNull()
    expect((await send("decrypt", type, 1_001, contentType)).error?.code).toBe("payload-too-large")
  })
})

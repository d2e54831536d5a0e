import { describe, expect, test } from "vitest"
import { rewriteMultipart } from "./rewrite-multipart.ts"
import { BOUNDARY, field, file, latin1, refusalOf, render, sealCards } from "./testing/multipart-bodies.ts"

const head = 'Content-Disposition: form-data; name="card"'
const withHead = (lines: string) => render([field("card", "4242", lines)])

describe("a large multipart body", () => {
  test("may have at most the maximum number of parts", async () => {
    const parts = (count: number) => render(Array.from({ length: count }, () => field("a", "1")))
    expect(await refusalOf(parts(1_000))).toBeNull()
    expect(await refusalOf(parts(1_001))).toMatchObject({ reason: "too-large" })
    expect(await refusalOf(parts(50_000))).toMatchObject({ reason: "too-large" })
  })

  test("may have headers of exactly the maximum size", async () => {
    const lines = (bytes: number) => withHead(`${head}\r\nX: ${"x".repeat(bytes - head.length - 5)}`)
    for (const size of [1, 1_000, 100_000]) {
      expect(await refusalOf(lines(16_384), { size })).toBeNull()
      expect(await refusalOf(lines(16_385), { size })).toMatchObject({ reason: "too-large" })
    }
  })

  test.each([
    ["before its first part", { preamble: `${"x".repeat(16_385)}\r\n` }],
    ["behind its last", { epilogue: `\r\n${"x".repeat(16_385)}` }],
  ])("is refused when there is too much %s", async (_where, frame) => {
    expect(await refusalOf(render([], frame), { size: 1_000 })).toMatchObject({ reason: "too-large" })
  })

  test("may have files and fields of exactly the maximum size", async () => {
    const limits = { maxFileBytes: 1_000, maxOtherBytes: 2_000, size: 300 }
    const files = (bytes: number) =>
      render([file("a", "a", "x".repeat(bytes)), file("b", "b", "x".repeat(bytes))])
    expect(await refusalOf(files(1_000), limits)).toBeNull()
    expect(await refusalOf(files(1_001), limits)).toMatchObject({ reason: "too-large" })
    const rest = render([field("a", "")]).length
    const fields = (bytes: number) => render([field("a", "x".repeat(bytes - rest))])
    expect(await refusalOf(fields(2_000), limits)).toBeNull()
    expect(await refusalOf(fields(2_001), limits)).toMatchObject({ reason: "too-large" })
  })

  test("passes on a file of 25 MB while holding only a chunk of it", async () => {
    const chunk = Buffer.alloc(65_536, "x\r\n--")
    let pulled = 0
    async function* source(): AsyncGenerator<Buffer> {
      yield latin1(`--${BOUNDARY}\r\n${file("card", "big.bin", "").head}\r\n\r\n`)
      for (; pulled + chunk.length <= 25_000_000; pulled += chunk.length) yield chunk
      yield latin1(`\r\n--${BOUNDARY}--\r\n`)
    }
    let passed = 0
    let held = 0
    for await (const output of rewriteMultipart(source(), BOUNDARY, sealCards)) {
      passed += output.length
      held = Math.max(held, pulled - passed)
    }
    expect(passed).toBeGreaterThan(24_900_000)
    expect(held).toBeLessThan(2 * chunk.length)
  })
})

describe("the source of a multipart body", () => {
  test("is closed when its reader stops, and when the body is refused", async () => {
    let closed = 0
    async function* source(text: string): AsyncGenerator<Buffer> {
      try {
        for (;;) yield latin1(text)
      } finally {
        closed++
      }
    }
    for await (const _ of rewriteMultipart(
      source(`--${BOUNDARY}\r\n${head}\r\n\r\nx`),
      BOUNDARY,
      () => "pass",
    ))
      break
    expect(closed).toBe(1)
    const refused = Array.fromAsync(rewriteMultipart(source(`--${BOUNDARY}?`), BOUNDARY, () => "pass"))
    await expect(refused).rejects.toMatchObject({ reason: "malformed" })
    expect(closed).toBe(2)
  })

  test("passes on its error", async () => {
    const failure = new Error("gone")
    async function* source(): AsyncGenerator<Buffer> {
      yield latin1(`--${BOUNDARY}\r\n${head}\r\n\r\nx`)
      throw failure
    }
    await expect(Array.fromAsync(rewriteMultipart(source(), BOUNDARY, sealCards))).rejects.toBe(failure)
  })
})

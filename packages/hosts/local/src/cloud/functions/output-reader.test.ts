import { PassThrough } from "node:stream"
import { setTimeout as delay } from "node:timers/promises"
import { expect, test } from "vitest"
import { readOutput } from "./output-reader.ts"

test("splits output into lines, however it arrives", async () => {
  const { output, lines } = reading()
  for (const byte of Buffer.from("one\ntwo é\u{1f600}\n\nlast")) output.write(Buffer.of(byte))
  output.end()

  await expect.poll(() => lines).toEqual(["one", "two é\u{1f600}", "", "last"])
})

test("returns an incomplete line when asked to", async () => {
  const { output, lines, reader } = reading()
  output.write("a prompt")
  await delay(1)
  reader.flush()

  expect(lines).toEqual(["a prompt"])
})

test("splits lines that are too long, without losing anything", async () => {
  const { output, lines } = reading()
  const long = Array.from({ length: 20_000 }, (_, at) => String(at)).join(",")
  output.end(`${long}\n${long}`)

  await expect.poll(() => lines.join("")).toBe(long + long)
  expect(Math.max(...lines.map(({ length }) => length))).toBe(16_384)
})

test("reads a flood of output slowly, and completely", async () => {
  const { output, lines } = reading()
  const flood = "x".repeat(999)
  for (let at = 0; at < 2_500; at++) output.write(`${flood}\n`)
  await delay(5)
  expect(output.isPaused()).toBe(true)

  await expect.poll(() => lines.length).toBe(2_500)
})

function reading() {
  const output = new PassThrough({ highWaterMark: 64 * 1024 })
  const lines: string[] = []
  return { output, lines, reader: readOutput(output, (line) => lines.push(line)) }
}

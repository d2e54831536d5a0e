import { PassThrough } from "node:stream"
import { describe, expect, test } from "vitest"
import { createTestHost } from "../testing/test-host.ts"
import { confirm, readSecret } from "./ask.ts"
import type { CliHost } from "./host.ts"

/** Creates a terminal with typed input, and records its modes. */
function terminal(typed: readonly string[]) {
  const modes: boolean[] = []
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => modes.push(isRaw),
  })
  for (const text of typed) stdin.write(text)
  const shown = createTestHost({ folder: "/", isTty: true })
  const host: CliHost = { ...shown, stdin }
  return { host, modes, shownText: () => shown.stderrText() }
}

describe("a secret", () => {
  test("is typed without being shown, and the terminal is restored", async () => {
    const { host, modes, shownText } = terminal(["swk_sandbox", "_X", "\u007f", "secret\r"])
    expect(await readSecret(host, "Key: ")).toBe("swk_sandbox_secret")
    expect(modes).toEqual([true, false])
    expect(shownText()).toBe("Key: \n")
  })

  test("is discarded when Ctrl-C is typed, and the terminal is restored", async () => {
    const { host, modes } = terminal(["swk\u0003"])
    await expect(readSecret(host, "Key: ")).rejects.toMatchObject({ code: "interrupted", exitCode: 130 })
    expect(modes).toEqual([true, false])
  })

  test("is the first line of piped input", async () => {
    expect(await readSecret(createTestHost({ folder: "/", stdin: "  secret \r\nmore" }), "Key: ")).toBe(
      "secret",
    )
  })

  test.each(["", "\n", " \nsecret"])("is refused when the first line is empty: %j", async (stdin) => {
    await expect(readSecret(createTestHost({ folder: "/", stdin }), "Key: ")).rejects.toMatchObject({
      exitCode: 2,
    })
  })

  test("is refused when the piped input is a file instead of a key", async () => {
    const ask = (length: number) =>
      readSecret(createTestHost({ folder: "/", stdin: "x".repeat(length) }), "Key: ")
    expect((await ask(4096)).length).toBe(4096)
    await expect(ask(4097)).rejects.toMatchObject({ exitCode: 2 })
  })
})

describe("a question", () => {
  test.each([
    ["y", true],
    ["YES", true],
    [" yes ", true],
    ["", false],
    ["n", false],
    ["yesterday", false],
  ])("is only answered yes by yes: %j", async (answer, expected) => {
    const { host } = terminal([`${answer}\n`])
    expect(await confirm(host, "Sure?")).toBe(expected)
  })

  test("is answered no by an end of input", async () => {
    const { host } = terminal([])
    setImmediate(() => host.stdin.push(null))
    expect(await confirm(host, "Sure?")).toBe(false)
  })
})

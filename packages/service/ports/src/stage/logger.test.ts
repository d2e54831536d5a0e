import { spawn } from "node:child_process"
import { once } from "node:events"
import { afterEach, describe, expect, test, vi } from "vitest"
import { createLog, type LogFields } from "./logger.ts"

function capture(): string[] {
  const written: string[] = []
  const write = (text: string | Uint8Array) => {
    written.push(String(text))
    return true
  }
  vi.spyOn(process.stdout, "write").mockImplementation(write)
  vi.spyOn(process.stderr, "write").mockImplementation(write)
  return written
}

afterEach(() => vi.restoreAllMocks())

describe("the log", () => {
  test("writes one line of JSON with the allowed fields", () => {
    const written = capture()
    createLog({ logLevel: "INFO" }, () => 0).info("request refused", {
      requestId: "r1",
      endpoint: "decrypt",
      code: "forbidden",
      status: 403,
    })
    expect(written).toHaveLength(1)
    expect(JSON.parse(written.join(""))).toEqual({
      level: "INFO",
      message: "request refused",
      timestamp: "1970-01-01T00:00:00.000Z",
      service: "sealway",
      requestId: "r1",
      endpoint: "decrypt",
      code: "forbidden",
      status: 403,
    })
  })

  test("drops every other field, wherever it comes from", () => {
    const written = capture()
    const fields: LogFields = Object.assign({ requestId: "r1" }, { body: "secret", headers: { a: "secret" } })
    createLog({ logLevel: "INFO" }, () => 0).error("request failed", fields)
    expect(written.join("")).not.toContain("secret")
  })

  test("logs an error's class and where it was thrown, and never its message or its cause", () => {
    const written = capture()
    const error = new TypeError("secret\n    at secret (secret.ts:1:1)", { cause: new Error("secret") })
    createLog({ logLevel: "INFO" }, () => 0).error("request failed", { error })
    createLog({ logLevel: "INFO" }, () => 0).error("request failed", { error: "secret" })
    expect(written.join("")).not.toContain("secret")
    expect(JSON.parse(written[0] ?? "")).toMatchObject({
      error: {
        name: "TypeError",
        frames: expect.arrayContaining([expect.stringMatching(/logger\.test\.ts/)]),
      },
    })
  })

  test("does not end the process when nobody reads it any more", async () => {
    const script = `
      import { createLog } from ${JSON.stringify(new URL("logger.ts", import.meta.url).href)}
      const log = createLog({ logLevel: "INFO" }, () => 0)
      for (const write of [log.info, log.error, log.info, log.error]) write("request failed")`
    const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      stdio: ["ignore", "pipe", "pipe"],
    })
    child.stdout.destroy()
    child.stderr.destroy()
    expect(await once(child, "exit")).toEqual([0, null])
  })

  test("respects its level", () => {
    const written = capture()
    const log = createLog({ logLevel: "WARN" }, () => 0)
    log.info("not this")
    log.warn("but this")
    expect(written).toHaveLength(1)
  })
})

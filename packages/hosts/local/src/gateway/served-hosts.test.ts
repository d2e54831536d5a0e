import { describe, expect, it } from "vitest"
import { createHostCheck } from "./served-hosts.ts"

const isServed = createHostCheck({
  port: 7400,
  host: "192.0.2.1",
  allowedHosts: ["Vault.test", "other.test:8080"],
})

describe("a Host header", () => {
  it.each([
    "127.0.0.1:7400",
    "localhost:7400",
    "LocalHost:7400",
    "[::1]:7400",
    "192.0.2.1:7400",
    "vault.test",
    "vault.test:443",
    "VAULT.test:7400",
    "other.test:8080",
  ])("that names the service is accepted: %s", (header) => {
    expect(isServed(header)).toBe(true)
  })

  it.each([
    "",
    ":7400",
    "127.0.0.1",
    "127.0.0.1:7401",
    "127.0.0.1:07400",
    "127.0.0.1.:7400",
    "localhost",
    "localhost:",
    "localhost.:7400",
    "evil.test:7400",
    "localhost.evil.test:7400",
    "127.0.0.1.evil.test:7400",
    "localhost:7400.evil.test",
    "user@localhost:7400",
    "localhost:7400,evil.test",
    "evil.test,localhost:7400",
    "[::1]",
    "[::ffff:127.0.0.1]:7400",
    "127.1:7400",
    "0.0.0.0:7400",
    "evil-vault.test",
    "sub.vault.test",
    "other.test",
    "other.test:80",
    "vault.test:x",
  ])("that does not name it is refused: %j", (header) => {
    expect(isServed(header)).toBe(false)
  })

  it("may omit port 80, as clients do", () => {
    const isServedAt80 = createHostCheck({ port: 80, host: "127.0.0.1", allowedHosts: [] })
    expect(["localhost", "127.0.0.1:80", "[::1]"].map(isServedAt80)).toEqual([true, true, true])
    expect(isServedAt80("evil.test")).toBe(false)
  })
})

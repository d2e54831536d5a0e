import { describe, expect, test } from "vitest"
import { readCookie, sessionCookieName, setCookie } from "./session-cookie.ts"

describe("the session cookie", () => {
  test.each([
    ["https://dashboard.example.com/api", "__Host-sealway_session"],
    ["https://localhost:7400", "__Host-sealway_session"],
    ["http://localhost:7400", "sealway_session"],
    ["http://127.0.0.1:7400", "sealway_session"],
    ["http://[::1]:7400", "sealway_session"],
    ["http://192.168.0.2:7400", null],
    ["http://vault.test", null],
    ["http://localhost.evil.example", null],
    ["http://127.0.0.1.evil.example", null],
    ["http://localhost@evil.example", null],
    ["ftp://localhost", null],
    ["no URL", null],
  ])("at %s is named %s", (origin, name) => {
    expect(sessionCookieName(origin)).toBe(name)
  })

  test("is for this host and HTTPS only, and not for scripts or other sites", () => {
    const options = { maxAgeSeconds: 60, sameSite: "Strict" } as const
    expect(setCookie("__Host-a", "x", options)).toBe(
      "__Host-a=x; Path=/; HttpOnly; SameSite=Strict; Max-Age=60; Secure",
    )
  })

  test.each([
    [["a=1"], "1"],
    [[" b=2", " a=1 "], "1"],
    [["a=1", "a=2"], null],
    [["a=1", "a=1"], null],
    [["ba=1"], null],
    [["a"], null],
    [[], null],
  ])("of %j is %s", (cookies, value) => {
    expect(readCookie(cookies, "a")).toBe(value)
  })
})

import { describe, expect, test } from "vitest"
import { UsageFailure } from "../terminal/failures.ts"
import { isLoopbackUrl, parseServiceUrl } from "./service-address.ts"

describe("the service's address", () => {
  test.each([
    ["https://api.example.com/", "https://api.example.com"],
    [
      "https://abc.execute-api.eu-west-1.amazonaws.com/prod/",
      "https://abc.execute-api.eu-west-1.amazonaws.com/prod",
    ],
    ["http://127.0.0.1:7400", "http://127.0.0.1:7400"],
    ["http://localhost:7400", "http://localhost:7400"],
    ["http://[::1]:7400", "http://[::1]:7400"],
  ])("%s is accepted", (text, url) => {
    expect(parseServiceUrl(text, "SEALWAY_URL")).toBe(url)
  })

  test.each([
    ["http to another machine, where a key could be read on the way", "http://api.example.com"],
    ["a host that only begins like this machine's address", "http://127.0.0.1.example.com"],
    ["a host that only begins like this machine's name", "http://localhost.example.com"],
    ["this machine's name as user name", "http://127.0.0.1@example.com"],
    ["credentials", "https://app:key@api.example.com"],
    ["a query", "https://api.example.com?x=1"],
    ["another scheme", "file:///etc/passwd"],
    ["no address", "api.example.com"],
    ["missing slashes", "http:127.0.0.1:7400"],
    ["backslashes", "http:\\\\127.0.0.1:7400"],
    ["blanks around it", " http://127.0.0.1:7400"],
    ["a line break in it", "http://127.0.0.1:74\n00"],
    ["a number for an address", "http://2130706433:7400"],
    ["an empty user name", "https://@api.example.com"],
  ])("is refused: %s", (_what, text) => {
    expect(() => parseServiceUrl(text, "SEALWAY_URL")).toThrow(UsageFailure)
  })

  test("is recognised as this machine in any notation, and no other", () => {
    expect(["http://127.1", "http://0x7f000001", "http://2130706433"].map(isLoopbackUrl)).toEqual([
      true,
      true,
      true,
    ])
    expect(
      ["http://128.0.0.1", "http://[::ffff:8.8.8.8]", "http://0.0.0.0", "nothing"].map(isLoopbackUrl),
    ).toEqual([false, false, false, false])
  })
})

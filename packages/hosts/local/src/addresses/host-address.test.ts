import { describe, expect, test } from "vitest"
import { isLoopback, parseHostAddress, urlOf } from "./host-address.ts"

describe("an address to listen on", () => {
  test.each([
    ["127.0.0.1", "127.0.0.1"],
    ["0.0.0.0", "0.0.0.0"],
    ["192.0.2.255", "192.0.2.255"],
    ["::1", "::1"],
    ["[::1]", "::1"],
    ["::", "::"],
    ["0:0:0:0:0:0:0:1", "::1"],
    ["2001:DB8:0:0::A", "2001:db8::a"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::ffff:7f00:1", "127.0.0.1"],
  ])("is normalised as URLs write it: %s", (text, address) => {
    expect(parseHostAddress(text)).toBe(address)
  })

  test.each([
    "",
    "localhost",
    "127.1",
    "127.0.0.01",
    "0177.0.0.1",
    "0x7f000001",
    "2130706433",
    "256.0.0.1",
    "127.0.0.1:7400",
    "127.0.0.1/8",
    " 127.0.0.1",
    "127.0.0.1\n",
    "::1]:7400",
    "[::1]:7400",
    "[127.0.0.1]",
    "[::1",
    ":::",
    "::g",
    "1:2:3:4:5:6:7:8:9",
    "fe80::1%eth0",
    "http://127.0.0.1",
    "*",
  ])("is refused: %j", (text) => {
    expect(parseHostAddress(text)).toBeNull()
  })

  test.each([
    ["127.0.0.1", true],
    ["127.255.255.254", true],
    ["::1", true],
    ["0.0.0.0", false],
    ["::", false],
    ["128.0.0.1", false],
    ["10.127.0.1", false],
    ["12.7.0.1", false],
    ["2001:db8::1", false],
  ])("is reachable from this machine only: %s %s", (address, isOnlyHere) => {
    expect(isLoopback(address)).toBe(isOnlyHere)
  })

  test.each([
    ["127.0.0.1", "http://127.0.0.1:7400"],
    ["192.0.2.1", "http://192.0.2.1:7400"],
    ["0.0.0.0", "http://127.0.0.1:7400"],
    ["::", "http://[::1]:7400"],
    ["2001:db8::a", "http://[2001:db8::a]:7400"],
  ])("is reached by this machine's clients: %s by %s", (address, url) => {
    expect(urlOf(address, 7400)).toBe(url)
    expect(new URL(url).origin).toBe(url)
  })
})

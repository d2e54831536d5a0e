import { describe, expect, test } from "vitest"
import { parseHostName } from "./host-name.ts"
import { proxyNames } from "./proxy-names.ts"

describe("a name in a caller's Host header", () => {
  test.each([
    ["vault.test", "vault.test"],
    ["Vault.Test:8443", "Vault.Test:8443"],
    ["localhost", "localhost"],
    ["my_app", "my_app"],
    ["_sealway_.test:1", "_sealway_.test:1"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example"],
    ["3com.example", "3com.example"],
    ["10.0.2.2", "10.0.2.2"],
    ["10.0.2.2:65535", "10.0.2.2:65535"],
    ["[::1]", "[::1]"],
    ["::1", "[::1]"],
    ["2001:DB8:0:0::A", "[2001:db8::a]"],
    ["[2001:db8:0:0:0:0:0:a]:7400", "[2001:db8::a]:7400"],
  ])("is normalised as clients write it: %s", (text, name) => {
    expect(parseHostName(text)).toBe(name)
  })

  test.each([
    "",
    ":7400",
    "vault.test:",
    "vault.test:0",
    "vault.test:07400",
    "vault.test:65536",
    "vault.test:7400:7400",
    "vault.test.",
    ".vault.test",
    "vault..test",
    "-vault.test",
    "vault-.test",
    "*.vault.test",
    "*",
    "http://vault.test",
    "vault.test/",
    "user@vault.test",
    "vault.test,evil.test",
    "vault test",
    "vault.test\n",
    "väult.test",
    "127.1",
    "1.2.3.256",
    "0x7f.1",
    "vault.0x1",
    "2130706433",
    "[::1",
    "::1]",
    "[127.0.0.1]",
    "[vault.test]",
    "[:::]",
    "[fe80::1%eth0]",
    "a".repeat(64),
    `${"a.".repeat(127)}`,
  ])("is refused: %j", (text) => {
    expect(parseHostName(text)).toBeNull()
  })

  test("may have the maximum lengths that DNS allows, per label and in total", () => {
    const label = "a".repeat(63)
    const longest = [label, label, label, "a".repeat(61)].join(".")
    expect(parseHostName(longest)).toBe(longest)
    expect(parseHostName(`${longest}a`)).toBeNull()
  })

  test("is parsed in linear time", () => {
    expect(parseHostName(`${"a-".repeat(50_000)}!`)).toBeNull()
    expect(parseHostName(`${"a.".repeat(50_000)}!`)).toBeNull()
  })
})

describe("the forward proxy's certificate", () => {
  const loopback = ["localhost", "127.0.0.1", "::1"]

  test.each([
    ["127.0.0.1", [], []],
    ["127.0.0.2", [], ["127.0.0.2"]],
    ["::1", [], []],
    ["0.0.0.0", [], []],
    ["::", [], []],
    ["192.0.2.1", [], ["192.0.2.1"]],
    ["2001:db8::a", [], ["2001:db8::a"]],
    [
      "0.0.0.0",
      ["Vault.test", "vault.test:81", "[2001:db8::a]:7400", "10.0.2.2"],
      ["vault.test", "2001:db8::a", "10.0.2.2"],
    ],
  ])("is valid for the names that clients use: %s, allowed as %j", (host, allowed, names) => {
    expect(proxyNames(host, allowed)).toEqual([...loopback, ...names])
  })
})

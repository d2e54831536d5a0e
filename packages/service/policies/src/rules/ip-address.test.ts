import { isIPv4, isIPv6 } from "node:net"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { normalizeIp, normalizeIpRange } from "./ip-address.ts"

describe("an IP address", () => {
  test.each([
    ["10.1.2.3", "10.1.2.3"],
    ["::ffff:10.1.2.3", "10.1.2.3"],
    ["::FFFF:a01:203", "10.1.2.3"],
    ["0:0:0:0:0:ffff:0a01:0203", "10.1.2.3"],
    ["::ffff:0:0", "0.0.0.0"],
    ["::fffe:ffff:ffff", "0:0:0:0:0:fffe:ffff:ffff"],
    ["::1", "0:0:0:0:0:0:0:1"],
    ["::", "0:0:0:0:0:0:0:0"],
    ["2001:DB8::7", "2001:db8:0:0:0:0:0:7"],
    ["64:ff9b::1.2.3.4", "64:ff9b:0:0:0:0:102:304"],
    ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
  ])("is normalised: %s is %s", (text, normal) => {
    expect(normalizeIp(text)).toBe(normal)
  })

  test.each([
    "",
    " 10.1.2.3",
    "10.1.2",
    "10.1.2.3.4",
    "010.1.2.3",
    "10.1.2.256",
    "0x0a010203",
    "167838211",
    "fe80::1%eth0",
    ":::",
    "1::2::3",
    "10.1.2.3/32",
    "localhost",
    "[::1]",
  ])("is refused when it is invalid: %j", (text) => {
    expect(normalizeIp(text)).toBeNull()
  })

  test("does not change when it is normalised again", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const normal = normalizeIp(text)
        expect(normal).not.toBeNull()
        expect(normalizeIp(String(normal))).toBe(normal)
        expect(isIPv4(String(normal)) || isIPv6(String(normal))).toBe(true)
        if (isIPv6(String(normal)))
          expect(new URL(`http://[${normal}]/`).host).toBe(new URL(`http://[${text}]/`).host)
      }),
    )
  })
})

describe("an IP range", () => {
  test.each([
    ["10.0.0.0/8", "10.0.0.0/8"],
    ["10.1.2.3", "10.1.2.3/32"],
    ["10.1.2.3/32", "10.1.2.3/32"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["::/0", "0:0:0:0:0:0:0:0/0"],
    ["::1", "0:0:0:0:0:0:0:1/128"],
    ["2001:db8::/32", "2001:db8:0:0:0:0:0:0/32"],
    ["::ffff:10.0.0.0/104", "10.0.0.0/8"],
    ["::ffff:0:0/96", "0.0.0.0/0"],
    ["::ffff:10.1.2.3", "10.1.2.3/32"],
    ["::ffff:10.1.2.3/128", "10.1.2.3/32"],
    ["::/95", "0:0:0:0:0:0:0:0/95"],
  ])("is normalised: %s is %s", (text, normal) => {
    expect(normalizeIpRange(text)).toBe(normal)
  })

  test.each([
    "",
    "/8",
    "10.0.0.0/",
    "10.0.0.0/33",
    "10.0.0.0/08",
    "10.0.0.0/+8",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "10.0.0.0/8 ",
    "10.0.0/8",
    "10.0.0.1/8",
    "10.0.0.128/24",
    "::1/64",
    "::/129",
    "2001:db8::1/32",
    "fe80::1%eth0/128",
    "::ffff:10.0.0.1/104",
    "10.0.0.0/255.0.0.0",
  ])("is refused when it is invalid: %j", (text) => {
    expect(normalizeIpRange(text)).toBeNull()
  })
})

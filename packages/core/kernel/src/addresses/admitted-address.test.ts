import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isAdmittedAddress } from "./admitted-address.ts"

const PUBLIC = [
  "1.1.1.1",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "192.169.0.0",
  "223.255.255.255",
  "2606:4700::1111",
  "2a00:1450:4001:830::200e",
  "::ffff:1.1.1.1",
  "64:ff9b::1.1.1.1",
]
const PRIVATE = [
  "10.0.0.0",
  "10.255.255.255",
  "100.64.0.0",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.255",
  "169.254.0.1",
  "172.16.0.0",
  "172.31.255.255",
  "192.168.0.0",
  "192.168.255.255",
  "::1",
  "fc00::1",
  "fdff::1",
  "fe80::1",
  "fe80::1%eth0",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:10.0.0.1",
  "64:ff9b::10.0.0.1",
  "64:ff9b::7f00:1",
]
const NOWHERE = [
  "0.0.0.0",
  "0.1.2.3",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::127.0.0.1",
  "::a00:1",
  "::ffff:0:127.0.0.1",
  "64:ff9b:1::7f00:1",
  "100::1",
  "2001::7f00:1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:101:101::",
  "3fff::1",
  "4000::1",
  "5f00::1",
  "fec0::1",
  "ff02::1",
]
const METADATA = [
  "169.254.169.254",
  "169.254.170.2",
  "169.254.170.23",
  "100.100.100.200",
  "168.63.129.16",
  "::ffff:169.254.169.254",
  "::ffff:a9fe:a9fe",
  "64:ff9b::169.254.169.254",
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fe80::a9fe:a9fe",
]
const NO_ADDRESSES = [
  "",
  "localhost",
  "1",
  "127.1",
  "0x7f.0.0.1",
  "0177.0.0.1",
  "2130706433",
  "1.1.1.1 ",
  "[::1]",
  ":::",
]

describe("a destination's address", () => {
  test.each(PUBLIC)("is allowed when it is public: %s", (address) => {
    expect(isAdmittedAddress(address, false)).toBe(true)
    expect(isAdmittedAddress(address, true)).toBe(true)
  })

  test.each(PRIVATE)("is only allowed where private ones are: %s", (address) => {
    expect(isAdmittedAddress(address, false)).toBe(false)
    expect(isAdmittedAddress(address, true)).toBe(true)
  })

  test.each([...NOWHERE, ...METADATA])("is always refused when it cannot be a receiver: %s", (address) => {
    expect(isAdmittedAddress(address, false)).toBe(false)
    expect(isAdmittedAddress(address, true)).toBe(false)
  })

  test.each(NO_ADDRESSES)("is refused when it is not a valid address: '%s'", (text) => {
    expect(isAdmittedAddress(text, true)).toBe(false)
  })

  test("is judged the same in IPv4, IPv4-mapped and NAT64 spelling", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.boolean(), (address, allowPrivate) => {
        const plain = isAdmittedAddress(address, allowPrivate)
        expect(isAdmittedAddress(`::ffff:${address}`, allowPrivate)).toBe(plain)
        expect(isAdmittedAddress(`64:ff9b::${address}`, allowPrivate)).toBe(plain)
      }),
    )
  })

  test("in IPv6 is never public outside 2000::/3, unless it leads to a public IPv4 address", () => {
    const outside = fc
      .uint8Array({ minLength: 16, maxLength: 16 })
      .map((bytes) => Buffer.from(bytes).toString("hex").match(/.{4}/g)?.join(":") ?? "")
      .filter((text) => !/^[23]/.test(text) && !/^0(000|064)/.test(text))
    fc.assert(fc.property(outside, (address) => !isAdmittedAddress(address, false)))
  })
})

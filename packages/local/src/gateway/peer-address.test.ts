import { expect, it } from "vitest"
import { normalizePeerAddress } from "./peer-address.ts"

it.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::1", "::1"],
  ["2001:db8::1", "2001:db8::1"],
  ["::ffff:0:1", "::ffff:0:1"],
  ["fe80::1%eth0", "fe80::1"],
])("turns %s into %s", (address, normalized) => {
  expect(normalizePeerAddress(address)).toBe(normalized)
})

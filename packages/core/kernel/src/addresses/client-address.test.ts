import { expect, test } from "vitest"
import { clientAddress } from "./client-address.ts"

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["::FFFF:203.0.113.7", "203.0.113.7"],
  ["::ffff:cb00:7107", "203.0.113.7"],
  ["::ffff:0:1", "0.0.0.1"],
  ["2001:DB8::1", "2001:db8::1"],
  ["fe80::1%eth0", "fe80::1"],
  ["::ffff:203.0.113.7.9", "::ffff:203.0.113.7.9"],
  ["::1", "::1"],
])("normalises the client address %s to %s", (peer, address) => {
  expect(clientAddress(peer)).toBe(address)
})

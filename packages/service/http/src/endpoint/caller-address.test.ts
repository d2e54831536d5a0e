import { hash } from "node:crypto"
import { expect, test } from "vitest"
import { proxyEvent } from "../../../../../test/support/proxy-event.ts"
import { callerAddress } from "./caller-address.ts"

const SECRET = "s".repeat(64)
const HASH = hash("sha256", SECRET, "hex")
const VIEWER = "203.0.113.9"

/** Returns the address of a request whose peer is 127.0.0.1. */
function addressOf(headers: Readonly<Record<string, string>>, originSecretHash: string | null = HASH) {
  const event = proxyEvent({ method: "GET", path: "/", headers })
  return callerAddress(event, originSecretHash)
}

test.each([
  ["an IPv4 address", VIEWER, VIEWER],
  ["an IPv6 address", "2001:DB8::1", "2001:db8::1"],
  ["an IPv4 address in IPv6", "::ffff:203.0.113.9", VIEWER],
])("is the one that CloudFront reports beside its secret: %s", (_, viewer, address) => {
  expect(addressOf({ "x-dashboard-origin-secret": SECRET, "x-dashboard-viewer-ip": viewer })).toBe(address)
})

test.each<[string, Readonly<Record<string, string>>]>([
  ["there is no secret", { "x-dashboard-viewer-ip": VIEWER }],
  [
    "the secret is another",
    { "x-dashboard-origin-secret": `${SECRET.slice(1)}t`, "x-dashboard-viewer-ip": VIEWER },
  ],
  [
    "the secret is sent twice",
    { "x-dashboard-origin-secret": `${SECRET},${SECRET}`, "x-dashboard-viewer-ip": VIEWER },
  ],
  // Which is all that somebody learns who reads the environment of a function.
  ["the secret is the hash of it", { "x-dashboard-origin-secret": HASH, "x-dashboard-viewer-ip": VIEWER }],
  ["no address is reported", { "x-dashboard-origin-secret": SECRET }],
  ["what is reported is no address", { "x-dashboard-origin-secret": SECRET, "x-dashboard-viewer-ip": "a" }],
])("is the peer's if %s", (_, headers) => {
  expect(addressOf(headers)).toBe("127.0.0.1")
})

test("is the peer's where nothing is in front of the API, whatever it is sent", () => {
  const forged = { "x-dashboard-origin-secret": SECRET, "x-dashboard-viewer-ip": VIEWER }
  expect(addressOf(forged, null)).toBe("127.0.0.1")
})

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isRelaySubdomain, relayDomainsOf, stripRegion } from "./relay-domains.ts"

const RELAY_DOMAIN = "relay.example.com"
const APP = "app_1a2b3c"

describe("a relay's domain", () => {
  test.each([
    ["api.example.com", 443, "api-example-com"],
    ["api.example.com", 8443, "api-example-com-8443"],
    ["xn--bcher-kva.example", 443, "idn-xn--bcher-kva-example"],
    ["::1", 443, "1"],
  ])("for %s port %d starts with %s", (host, port, label) => {
    const [first, second] = relayDomainsOf({ scheme: "https", host, port }, APP, RELAY_DOMAIN)
    const ending = ".app-1a2b3c.relay.example.com"
    expect(first).toBe(label + ending)
    expect(second).toMatch(new RegExp(`^${label}-[0-9a-f]{8}\\${ending}$`))
  })

  test("has a hash when nothing of the destination fits into a label", () => {
    const [first, second] = relayDomainsOf({ scheme: "https", host: "::", port: 443 }, APP, RELAY_DOMAIN)
    expect(first).toMatch(/^d-[0-9a-f]{8}\.app-1a2b3c\./)
    expect(second).toBe(first)
  })

  test("has labels of 1 to 63 characters for any destination", () => {
    const hosts = fc.oneof(fc.domain(), fc.ipV6(), fc.stringMatching(/^[a-z]{1,60}(\.[a-z]{1,60}){3}$/))
    fc.assert(
      fc.property(hosts, fc.integer({ min: 1, max: 65_535 }), (host, port) => {
        const destination = { scheme: "https", host: host.toLowerCase(), port } as const
        for (const domain of relayDomainsOf(destination, APP, RELAY_DOMAIN)) {
          expect(domain.split(".")).toHaveLength(5)
          expect(domain).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\./)
        }
      }),
    )
  })

  test("with a hash distinguishes destinations that look alike", () => {
    const hashed = (host: string, port: number) =>
      relayDomainsOf({ scheme: "https", host, port }, APP, RELAY_DOMAIN)[1]
    expect(hashed("a.b.com", 443)).not.toBe(hashed("a-b.com", 443))
    expect(hashed("a.com", 8443)).not.toBe(hashed("a.com-8443", 443))
  })

  test.each(["us", "eu"])("is the same without the region label %s", (region) => {
    expect(stripRegion(`x.app-1.${region}.${RELAY_DOMAIN}`, RELAY_DOMAIN)).toBe(`x.app-1.${RELAY_DOMAIN}`)
  })

  test.each([
    `x.app-1.${RELAY_DOMAIN}`,
    `us.app-1.${RELAY_DOMAIN}`,
    `x.app-1.ap.${RELAY_DOMAIN}`,
    `x.us.${RELAY_DOMAIN}.other.example`,
    "x.us.example",
  ])("is unchanged when there is none: %s", (host) => {
    expect(stripRegion(host, RELAY_DOMAIN)).toBe(host)
  })

  test("ends with the domain of all relays as separate labels", () => {
    expect(isRelaySubdomain(`x.${RELAY_DOMAIN}`, RELAY_DOMAIN)).toBe(true)
    expect(isRelaySubdomain(RELAY_DOMAIN, RELAY_DOMAIN)).toBe(false)
    expect(isRelaySubdomain(`x${RELAY_DOMAIN}`, RELAY_DOMAIN)).toBe(false)
    expect(isRelaySubdomain(`${RELAY_DOMAIN}.example`, RELAY_DOMAIN)).toBe(false)
  })
})

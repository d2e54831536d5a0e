import { expect, test } from "vitest"
import type { Destination } from "../relays/relay.ts"
import { outboundDestinations } from "./outbound-destinations.ts"

const https = (id: string, host: string, port = 443) => entry(id, { scheme: "https", host, port })
const entry = (id: string, destination: Destination) => ({ id, destinationDomain: "as given", destination })

test("names a destination by its host, and one with a non-default port with and without it", () => {
  expect(
    outboundDestinations([https("relay_1", "a.example.com"), https("relay_2", "b.example.com", 8443)]),
  ).toEqual({
    "a.example.com": { id: "relay_1", destinationDomain: "a.example.com" },
    "b.example.com:8443": { id: "relay_2", destinationDomain: "b.example.com:8443" },
    "b.example.com": { id: "relay_2", destinationDomain: "b.example.com" },
  })
})

test("leaves the bare host to the relay at the default port, in any order", () => {
  const list = [https("relay_2", "a.example.com", 8443), https("relay_1", "a.example.com")]
  for (const destinations of [list, list.toReversed()]) {
    expect(outboundDestinations(destinations)["a.example.com"]).toEqual({
      id: "relay_1",
      destinationDomain: "a.example.com",
    })
  }
})

test("writes IPv6 addresses in brackets, and destinations without TLS with their scheme", () => {
  const destinations = [
    https("relay_1", "2001:db8::1", 8443),
    entry("relay_2", { scheme: "http", host: "c.example.com", port: 80 }),
    entry("relay_3", { scheme: "http", host: "c.example.com", port: 8080 }),
  ]
  expect(Object.keys(outboundDestinations(destinations))).toEqual([
    "[2001:db8::1]:8443",
    "[2001:db8::1]",
    "http://c.example.com",
    "http://c.example.com:8080",
  ])
})

import { appPartition } from "@sealway/ports"
import { createMemoryTable } from "@sealway/ports/testing"
import { describe, expect, test } from "vitest"
import type { Relay } from "../relays/relay.ts"
import { TEST_RELAY } from "../testing/test-relay.ts"
import { createRelay, findRelayAt, replaceRelay } from "./relay-table.ts"

const RELAY: Relay = {
  ...TEST_RELAY,
  destinationDomain: "a.example",
  destination: { scheme: "https", host: "a.example", port: 443 },
  relayDomain: "a-example.app-1.relay.example",
  routes: [
    {
      method: null,
      path: "/**",
      request: [
        {
          action: "encrypt",
          selections: [
            { type: "xml", selector: "$['a:n']", namespaces: { a: "urn:a" }, role: null },
            { type: "query", selector: "card", role: "pci" },
          ],
        },
      ],
      response: [],
    },
  ],
  caseSensitiveNames: true,
  unencryptableErrors: "drop-body",
  unmatched: "refuse",
  passContentTypes: ["image/png"],
  rewriteLocations: true,
  forwardedHeaders: "x-forwarded",
  serverTiming: true,
  createdAt: 1,
  updatedAt: 1,
}

describe("a relay record", () => {
  test("contains the whole relay", async () => {
    const table = createMemoryTable()
    await createRelay(table, RELAY)
    expect(await findRelayAt(table, RELAY.appId, RELAY.destination)).toEqual(RELAY)
  })

  test("from before an option existed reads as the relay was, and is written with it", async () => {
    const table = createMemoryTable()
    const { caseSensitiveNames, unknownContentTypes, unencryptableErrors, ...later } = RELAY
    const { unmatched, passContentTypes, rewriteLocations, forwardedHeaders, ...others } = later
    const { serverTiming, ...before } = others
    // A record that lacks fields is not a `Relay`: it is written as in an earlier version.
    await createRelay(table, before as Relay)
    const relay = await findRelayAt(table, RELAY.appId, RELAY.destination)
    const options = {
      caseSensitiveNames: false,
      unknownContentTypes: "pass",
      unencryptableErrors: "refuse",
      unmatched: "pass",
      passContentTypes: ["*"],
      rewriteLocations: false,
      forwardedHeaders: "off",
      serverTiming: false,
    }
    expect(relay).toEqual({ ...before, ...options })
    if (relay !== null) await replaceRelay(table, { ...relay, leakWatch: "alert" })
    const [item] = await table.list(appPartition(RELAY.appId), "relay-at#")
    expect(item).toMatchObject(options)
  })
})

import { inspect } from "node:util"
import { describe, expect, test } from "vitest"
import { createRelayClient } from "./relay-client.ts"

/** A client of an app with a relay for https://api.example.com, and the addresses that it sends to. */
function clientWithRelay() {
  const sent: string[] = []
  const relay = { id: "relay_1", destinationDomain: "api.example.com", relayDomain: "abc.relay.example.com" }
  const client = createRelayClient({
    transport: {
      send: async () => ({ status: 200, headers: new Headers(), content: { data: [relay], hasMore: false } }),
    },
    fetch: async (url) => {
      sent.push(String(url))
      return new Response("{}")
    },
    credentials: () => ({ "x-service-api-key": "swk_marker" }),
    relayUrl: null,
    allowHttp: false,
    now: () => 0,
  })
  return { client, sent }
}

describe("relay.fetch", () => {
  test("sends a request to the relay's domain, with the path and query of the destination", async () => {
    const { client, sent } = clientWithRelay()
    await client.fetch("https://api.example.com//evil.example/?a=b")
    expect(sent).toEqual(["https://abc.relay.example.com//evil.example/?a=b"])
  })

  test.each([
    "blob:https://api.example.com/marker",
    "blob:https:@api.example.com/marker",
    "filesystem:https://api.example.com/marker",
    "ftp://api.example.com/marker",
    "data:,marker",
    "https//marker",
    "/marker",
    "",
  ])("refuses the address %j, sends nothing and does not repeat it", async (address) => {
    const { client, sent } = clientWithRelay()
    const error = await client.fetch(address).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(TypeError)
    expect(inspect(error, { showHidden: true })).not.toContain("/marker")
    expect(inspect(error, { showHidden: true })).toContain("The address must be a URL")
    expect(sent).toEqual([])
  })

  test.each([{ "x-key": "marker\r\nx-own: 1" }, { "x-key": "marker\u2028" }, { "marker key": "1" }])(
    "refuses the headers %j, sends nothing and does not repeat them",
    async (headers) => {
      const { client, sent } = clientWithRelay()
      const error = await client.fetch("https://api.example.com/", { headers }).catch((reason) => reason)
      expect(error).toBeInstanceOf(TypeError)
      expect(inspect(error, { showHidden: true })).not.toMatch(/marker[\r\u2028 ]/)
      expect(sent).toEqual([])
    },
  )
})

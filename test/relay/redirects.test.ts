import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import express from "express"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { sendToRelay } from "../support/relay-request.ts"
import { useService } from "../support/service.ts"

const CARD = "4242424242424242"
const service = useService()

/** Cards that arrived at the destination, under `/pay/`. */
const arrived: unknown[] = []
const shop = express()
shop.enable("strict routing")
shop.use(express.json())
shop.post("/pay", (request, response) => {
  response.redirect(307, `${request.protocol}://${request.host}/pay/`)
})
shop.post("/pay/", (request, response) => {
  arrived.push(request.body.card)
  response.set({ "Content-Location": `http://${request.headers.host}/payments/7` }).json({})
})
const server = createServer(shop)
server.listen(0, "127.0.0.1")
await once(server, "listening")
const { port } = server.address() as AddressInfo
afterAll(() => server.close())

const relaySchema = z.object({ id: z.string(), relayDomain: z.string() })
let relay: z.infer<typeof relaySchema>
beforeAll(async () => {
  const { json } = await service.post("/relays", {
    destinationDomain: `http://127.0.0.1:${port}`,
    routes: [
      { path: "/pay", request: [{ action: "encrypt", selections: [{ type: "json", selector: "$.card" }] }] },
    ],
  })
  relay = relaySchema.parse(json)
})

const post = (relayDomain: string, path = "/pay") =>
  sendToRelay(service.service.relayUrl, {
    relayDomain,
    path,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ card: CARD }),
  })

/** Follows a redirect as clients do. */
async function follow(location: string | undefined) {
  const { host, pathname } = new URL(location ?? "")
  return post(host, pathname)
}

describe("a redirect of the destination to itself", () => {
  test("leads the client to the relay, so that the destination gets a token", async () => {
    const { port: own } = new URL(service.service.relayUrl)
    const { status, headers } = await post(`${relay.relayDomain}:${own}`)
    expect([status, headers.location]).toEqual([307, `http://${relay.relayDomain}:${own}/pay/`])
    const followed = await follow(headers.location)
    expect(followed.headers["content-location"]).toBe(`http://${relay.relayDomain}:${own}/payments/7`)
    expect(arrived.splice(0)).toEqual([expect.stringMatching(/^ev:/)])
  })

  test("keeps the region that the client chose", async () => {
    const inRegion = relay.relayDomain.replace(/\.relay\./, ".eu.relay.")
    expect((await post(inRegion)).headers.location).toBe(`http://${inRegion}/pay/`)
  })

  test("is the destination's own work when it trusts X-Forwarded-Host", async () => {
    await service.patch(`/relays/${relay.id}`, { rewriteLocations: false })
    shop.set("trust proxy", true)
    expect((await post(relay.relayDomain)).headers.location).toBe(`http://${relay.relayDomain}/pay/`)
    shop.set("trust proxy", false)
    expect((await post(relay.relayDomain)).headers.location).toBe(`http://127.0.0.1:${port}/pay/`)
  })
})

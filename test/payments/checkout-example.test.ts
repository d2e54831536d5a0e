import { once } from "node:events"
import { request } from "node:http"
import { text } from "node:stream/consumers"
import { startReceiver } from "@sealway/http/testing"
import { Sealway } from "@sealway/sdk"
import { describe, expect, test } from "vitest"
import { setUp } from "../../examples/checkout/setup.mjs"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"
import { startProgram } from "../support/start.ts"

const service = useService()

const NUMBER = "4000000000003014"

async function newShop() {
  const { app, auth } = await service.newApp("sandbox")
  const { credentials, relayUrl } = service.service
  const sealway = {
    url: service.url,
    relayUrl,
    teamKey: credentials.teamKey,
    appId: app.id,
    apiKey: auth.key,
  }
  return { app, auth, sealway }
}

describe("the example checkout", () => {
  test("has no key that can decrypt a card, neither by the API nor by the relay, and keeps its setup when it is repeated", async () => {
    const { app, auth, sealway } = await newShop()
    await using processor = await startReceiver((_, response) => response.end("{}"))
    const origins = { shop: "http://127.0.0.1:1", processor: new URL(processor.url).origin }
    const first = await setUp(sealway, origins)
    const { browser, merchantId, paymentsKey, relay } = await setUp(sealway, origins)
    expect([merchantId, relay.domain]).toEqual([first.merchantId, first.relay.domain])
    const client = new Sealway({ appId: app.id, apiKey: auth.key, baseUrl: service.url })
    const card = await client.encrypt(NUMBER, browser.role)
    // Used keys are cached for some seconds, unused ones are not.
    expectProblem(
      await service.get("/keys", { auth: { user: app.id, key: first.paymentsKey } }),
      "unauthorized",
    )

    const decrypt = (key: string) => service.post("/decrypt", { card }, { auth: { user: app.id, key } })
    expectProblem(await decrypt(paymentsKey), "forbidden")
    expectProblem(await decrypt(relay.key), "decrypt/forbidden")
    expectProblem(await decrypt(auth.key), "decrypt/forbidden")

    const headers = { "content-type": "application/json", host: relay.domain, "x-service-app-id": app.id }
    const charge = request(`${relay.url}/charges`, {
      method: "POST",
      headers: { ...headers, "x-service-api-key": relay.key },
    })
    charge.end(JSON.stringify({ card: { number: card } }))
    const [response] = await once(charge, "response")
    expect(response.statusCode).toBe(403)
    expect(await text(response)).toContain("decrypt/forbidden")
    expect(processor.received).toEqual([])
  })

  test("starts as its README says, and refuses what is not encrypted, comes from elsewhere, or is too large", async () => {
    const { sealway } = await newShop()
    const variables = {
      SEALWAY_URL: sealway.url,
      SEALWAY_RELAY_URL: sealway.relayUrl,
      SEALWAY_APP: sealway.appId,
      SEALWAY_API_KEY: sealway.apiKey,
      SEALWAY_TEAM_KEY: sealway.teamKey,
      SHOP_PORT: "0",
      PROCESSOR_PORT: "0",
    }
    const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
    const shop = startProgram(["env", ...assignments, process.execPath, "examples/checkout/start.mjs"])
    try {
      const [, url = ""] = await shop.until(/The shop is at (\S+)/)
      const page = await fetch(url)
      expect(page.headers.get("content-security-policy")).toBe(
        `default-src 'none'; script-src 'self' ${sealway.url}/elements/scripts/sealway.js; style-src 'self'; connect-src 'self'; frame-src ${sealway.url}; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
      )
      expect(await page.text()).not.toMatch(/<input|style=|<script(?! type="module" src=)/)

      const order = (body: string, headers: Record<string, string> = {}) =>
        fetch(`${url}/orders`, {
          method: "POST",
          headers: { "content-type": "application/json", origin: url, ...headers },
          body,
        })
      const card = { number: NUMBER, cvc: "123", expiry: { month: "09", year: "39" } }
      const refused = await order(JSON.stringify({ card }))
      expect(refused.status).toBe(400)
      expect(await refused.text()).not.toContain(NUMBER)
      const sealed = `ev:debug:QkTC:${"A".repeat(80)}:$`
      const statuses = [
        await order(JSON.stringify({ card: { ...card, number: sealed } })),
        await order(JSON.stringify({ card: { ...card, number: sealed, cvc: [sealed] } })),
        await order(JSON.stringify({ card: { number: sealed, cvc: sealed, expiry: null } })),
        await order(JSON.stringify({ card: { ...card, number: sealed, cvc: sealed } })),
        await order('{"card": null}'),
        await order("[]"),
        await order("null"),
        await order("{"),
        await order("x".repeat(20_000)),
        await order("{}", { origin: "https://evil.example.com" }),
        await order("{}", { "content-type": "text/plain" }),
        await fetch(`${url}/orders/${"0".repeat(36)}/payment`, { method: "POST" }),
        await fetch(`${url}/../start.mjs`),
        await fetch(`${url}/setup.mjs`),
      ].map(({ status }) => status)
      expect(statuses).toEqual([400, 400, 400, 400, 400, 400, 400, 400, 400, 403, 403, 403, 404, 404])
      const rebound = request(url, { headers: { host: "evil.example.com" } }).end()
      const [response] = await once(rebound, "response")
      response.resume()
      expect(response.statusCode).toBe(421)
      expect(shop.stdout() + shop.stderr()).not.toContain(NUMBER)
    } finally {
      await shop.stop("SIGKILL")
    }
  })
})

import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Sealway } from "@sealway/sdk"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { createCustomerServer } from "../../examples/sdk/express-server.mjs"
import { createPageServer } from "../../examples/sdk/rendered-page.mjs"
import { bundleExample } from "../support/bundle-example.ts"
import { useService } from "../support/service.ts"

const service = useService()
const servers: Server[] = []
let sealway: Sealway

beforeAll(() => {
  const { user, key } = service.sandbox.auth
  sealway = new Sealway({ appId: user, apiKey: key, baseUrl: service.url })
})
afterAll(() => {
  for (const server of servers) server.close()
})
async function start(server: Server): Promise<string> {
  servers.push(server)
  await once(server.listen(0, "127.0.0.1"), "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const post = (url: string, body: unknown) =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) })

describe("the server with Express", () => {
  test("stores tokens, and decrypts them when asked", async () => {
    const url = await start(createServer(createCustomerServer(sealway, "")))
    const iban = "IE29AIBK93115212345678"
    const created = await post(`${url}/customers`, { name: "Ada", iban })
    const customer = z.object({ id: z.string(), iban: z.string() }).parse(await created.json())
    expect(customer.iban).toMatch(/^ev:debug:/)
    expect(await (await fetch(`${url}/customers/${customer.id}/iban`)).json()).toEqual({ iban })
    expect((await fetch(`${url}/customers/other/iban`)).status).toBe(404)
  })

  test("accepts Sealway's webhooks once each, and refuses others", async () => {
    const logged = vi.spyOn(console, "log").mockReturnValue()
    try {
      let listen: (request: Parameters<ReturnType<typeof createCustomerServer>>[0], response: never) => void
      const url = await start(createServer((request, response) => listen(request, response as never)))
      const { id, secret } = await sealway.api.createWebhookEndpoint({
        body: { url: `${url}/hooks`, events: ["*"] },
      })
      listen = createCustomerServer(sealway, secret)
      await sealway.api.testWebhookEndpoint({ webhookEndpointId: id })
      await vi.waitFor(() => expect(logged).toHaveBeenCalledWith("Sealway reports webhook.test"), 10_000)
      expect((await post(`${url}/hooks`, { id: "a", type: "webhook.test", data: {} })).status).toBe(400)
    } finally {
      logged.mockRestore()
    }
  })
})

test("the rendered page contains tokens and a token for them, and no way out of its data", async () => {
  const sealed = await sealway.encrypt({ iban: "IE29AIBK93115212345678" })
  const document = { ...sealed, note: "</script><script>alert(1)</script>" }
  const browser = { teamId: service.team.id, appId: service.sandbox.auth.user, baseUrl: service.url }
  const documentOf = ({ url }: { readonly url?: string | undefined }) => (url === "/" ? document : null)
  const url = await start(createPageServer({ sealway, browser, script: "", documentOf }))
  const response = await fetch(url)
  const html = await response.text()
  expect(html).not.toMatch(/IE29|<script>alert/)
  expect(html).toContain(sealed.iban)
  expect(html).not.toContain(service.sandbox.auth.key)
  expect(response.headers.get("content-security-policy")).toContain(`connect-src ${service.url}`)
  expect((await fetch(`${url}/other`)).status).toBe(403)
})

test("the rendered page's server answers 502, and goes on, when it cannot have a token", async () => {
  const { user } = service.sandbox.auth
  const logged = vi.spyOn(console, "error").mockReturnValue()
  try {
    const url = await start(
      createPageServer({
        sealway: new Sealway({ appId: user, apiKey: "swk_wrong", baseUrl: service.url }),
        browser: { teamId: service.team.id, appId: user, baseUrl: service.url },
        script: "",
        documentOf: () => ({ iban: "ev:marker" }),
      }),
    )
    for (let count = 0; count < 2; count++) expect((await fetch(url)).status).toBe(502)
    expect(logged).toHaveBeenCalledWith(expect.objectContaining({ code: "unauthorized" }))
  } finally {
    logged.mockRestore()
  }
})

test("the worker encrypts the card of an order, without a module of Node.js", async () => {
  const code = await bundleExample("worker.mjs", "esm")
  const workerSchema = z.object({
    default: z.object({
      fetch: z.custom<(request: Request, env: object) => Promise<Response>>(
        (value) => value instanceof Function,
      ),
    }),
  })
  const module: unknown = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  const { default: worker } = workerSchema.parse(module)
  const { user: SEALWAY_APP, key: SEALWAY_API_KEY } = service.sandbox.auth
  const env = { SEALWAY_APP, SEALWAY_API_KEY, SEALWAY_URL: service.url }
  const order = { id: 7, card: "4242424242424242" }
  const request = new Request("https://shop.example/", { method: "POST", body: JSON.stringify(order) })
  const sealed: unknown = await (await worker.fetch(request, env)).json()
  expect(sealed).toEqual({ id: 7, card: expect.stringMatching(/^ev:debug:/) })
  expect(await sealway.decrypt(sealed)).toEqual(order)
  expect((await worker.fetch(new Request("https://shop.example/"), env)).status).toBe(405)
})

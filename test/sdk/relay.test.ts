import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"
import https from "node:https"
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net"
import { pipeline } from "node:stream"
import { json } from "node:stream/consumers"
import { inspect } from "node:util"
import { ApiError, Sealway, SealwayError } from "@sealway/sdk"
import { createForwardProxyAgent } from "@sealway/sdk/node"
import { fetch as fetchWithDispatcher, ProxyAgent } from "undici"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createSelfSigned } from "../support/self-signed.ts"
import { useService } from "../support/service.ts"

const { privateKey, certificate } = createSelfSigned("DNS:localhost")
const service = useService("container", { trust: [certificate] })
const ROUTES = [
  {
    method: "POST",
    path: "/charges",
    request: [{ action: "decrypt", selections: [{ type: "json", selector: "$.card" }] }],
  },
] as const

/** What a destination that knows nothing of Sealway has received. */
const received: { readonly headers: IncomingHttpHeaders; readonly url: string; readonly body: string }[] = []
const answer: Parameters<typeof createServer>[1] = async (request, response) => {
  const body = Buffer.concat(await Array.fromAsync<Buffer>(request)).toString()
  received.push({ headers: request.headers, url: request.url ?? "", body })
  if (request.url === "/moved") response.writeHead(302, { location: "https://evil.example/" }).end()
  else if (request.url === "/slow") setTimeout(() => response.end("{}"), 400)
  else if (request.url === "/refuses") response.writeHead(403, { "content-type": "text/plain" }).end("No")
  else response.setHeader("content-type", "application/json").end('{"id":"ch_1"}')
}
const plain = createServer(answer)
const secure = https.createServer({ key: privateKey, cert: certificate }, answer)
let plainUrl: string
let secureUrl: string
let sealway: Sealway
let card: string

beforeAll(async () => {
  await Promise.all([
    once(plain.listen(0, "127.0.0.1"), "listening"),
    once(secure.listen(0, "localhost"), "listening"),
  ])
  plainUrl = `http://127.0.0.1:${(plain.address() as AddressInfo).port}`
  secureUrl = `https://localhost:${(secure.address() as AddressInfo).port}`
  const { user, key } = service.sandbox.auth
  const { relayUrl } = service.service
  sealway = new Sealway({ appId: user, apiKey: key, baseUrl: service.url, relayUrl })
  for (const url of [plainUrl, secureUrl]) {
    await sealway.api.createRelay({
      body: { destinationDomain: url.replace("https://", ""), authentication: "api-key", routes: ROUTES },
    })
  }
  card = await sealway.encrypt("4242424242424242")
})
afterAll(() => {
  plain.close()
  secure.close()
})
const charge = () => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ card }),
})

describe("relay.fetch", () => {
  test("sends a request for a destination through its relay, which does not pass the API key on", async () => {
    const response = await sealway.relay.fetch(`${plainUrl}/charges?a=%2F`, charge())
    expect([response.status, await response.json()]).toEqual([200, { id: "ch_1" }])
    const arrived = received.pop()
    expect(arrived).toMatchObject({ url: "/charges?a=%2F", body: '{"card":"4242424242424242"}' })
    expect(inspect(arrived)).not.toContain(service.sandbox.auth.key)
  })

  test("throws a TypeError for a destination without a relay, and sends it nothing", async () => {
    const before = received.length
    for (const url of [
      "https://evil.example/charges",
      plainUrl.replace("127.0.0.1", "localhost"),
      `${service.url}/keys`,
    ]) {
      await expect(sealway.relay.fetch(url, charge())).rejects.toThrow(
        "The app has no relay for this destination.",
      )
    }
    expect(received).toHaveLength(before)
  })

  test("throws a TypeError for an address with credentials, without repeating them", async () => {
    const sent = sealway.relay.fetch(`${plainUrl.replace("//", "//user:marker@")}/charges`, charge())
    await expect(sent).rejects.toThrow("The address must not contain credentials. Send them in a header.")
  })

  test("returns a redirect and the destination's refusals, and does not follow", async () => {
    const moved = await sealway.relay.fetch(`${plainUrl}/moved`)
    expect([moved.status, moved.headers.get("location")]).toEqual([302, "https://evil.example/"])
    expect((await sealway.relay.fetch(`${plainUrl}/refuses`)).status).toBe(403)
    await expect(sealway.relay.fetch(plainUrl, { redirect: "follow" })).rejects.toThrow(TypeError)
  })

  test("throws the relay's own refusals, by their code", async () => {
    const other = await service.newApp("sandbox")
    const sealedByOther = await new Sealway({
      appId: other.auth.user,
      apiKey: other.auth.key,
      baseUrl: service.url,
    }).encrypt("x")
    const refused = sealway.relay.fetch(`${plainUrl}/charges`, {
      ...charge(),
      body: JSON.stringify({ card: sealedByOther }),
    })
    await expect(refused).rejects.toBeInstanceOf(ApiError)
    await expect(refused).rejects.toMatchObject({
      status: expect.any(Number),
      code: expect.stringMatching(/^[a-z/-]+$/),
    })
  })

  test("uses the caller's headers, but for the relay's credentials", async () => {
    const headers = { ...charge().headers, "x-service-api-key": "marker", "x-own": "1" }
    await sealway.relay.fetch(`${plainUrl}/charges`, { ...charge(), headers })
    expect(received.pop()?.headers).toMatchObject({ "x-own": "1" })
  })

  test("sends the API key to the relay's own domain, and to no other", async () => {
    const sent: (readonly [url: string, headers: Headers])[] = []
    const { user, key } = service.sandbox.auth
    const client = new Sealway({
      appId: user,
      apiKey: key,
      baseUrl: service.url,
      fetch: async (url, init) => {
        if (String(url).startsWith(service.url)) return fetch(url, init)
        sent.push([String(url), new Headers(init?.headers)])
        return new Response("{}")
      },
    })
    await client.relay.fetch(`${secureUrl}/charges?a=1#b`, charge())
    const relays = await Array.fromAsync(client.api.listRelays())
    const domain = relays.find(
      ({ destinationDomain }) => destinationDomain === secureUrl.slice(8),
    )?.relayDomain
    expect(sent.map(([url]) => url)).toEqual([`https://${domain}/charges?a=1`])
    expect(sent[0]?.[1].get("x-service-api-key")).toBe(key)
    expect(sent[0]?.[1].get("x-service-app-id")).toBe(user)
    expect(sent[0]?.[1].has("authorization")).toBe(false)
  })

  test("learns of a new relay at once, and asks for known ones once a minute", async () => {
    const asked: string[] = []
    const { user, key } = service.sandbox.auth
    const client = new Sealway({
      appId: user,
      apiKey: key,
      baseUrl: service.url,
      relayUrl: service.service.relayUrl,
      fetch: (url, init) => {
        asked.push(new URL(String(url)).pathname)
        return fetch(url, init)
      },
    })
    for (const path of ["/a", "/b"]) await client.relay.fetch(plainUrl + path)
    expect(asked).toEqual(["/relays"])
  })
})

describe("the forward proxy", () => {
  const optionsOf = async () => {
    const { user: appId, key: apiKey } = service.sandbox.auth
    return {
      proxyUrl: service.service.proxyUrl,
      appId,
      apiKey,
      ca: await (await fetch(service.service.caUrl)).text(),
    }
  }
  const send = async (url: string, agent: https.Agent) => {
    const sent = https.request(url, { method: "POST", headers: charge().headers, agent })
    sent.end(charge().body)
    const [response] = await once(sent, "response")
    return { status: response.statusCode, body: await json(response) }
  }

  test.each(["http", "https"])(
    "is used by requests of node:https with its agent (%s to the proxy)",
    async (scheme) => {
      const options = await optionsOf()
      const agent = createForwardProxyAgent({
        ...options,
        proxyUrl: options.proxyUrl.replace(/^http/, scheme),
      })
      for (let count = 0; count < 2; count++) {
        expect(await send(`${secureUrl}/charges`, agent)).toEqual({ status: 200, body: { id: "ch_1" } })
        expect(received.pop()?.body).toBe('{"card":"4242424242424242"}')
      }
      expect(inspect(agent, { depth: 9, showHidden: true })).not.toContain(options.apiKey)
      agent.destroy()
    },
  )

  test("limits the time in which a tunnel opens, and not that of an answer", async () => {
    const agent = createForwardProxyAgent({ ...(await optionsOf()), timeoutMs: 200 })
    expect(await send(`${secureUrl}/slow`, agent)).toEqual({ status: 200, body: {} })
    agent.destroy()
    const silent = createTcpServer().listen(0, "127.0.0.1")
    await once(silent, "listening")
    const proxyUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const waiting = send(
      secureUrl,
      createForwardProxyAgent({ ...(await optionsOf()), proxyUrl, timeoutMs: 50 }),
    )
    await expect(waiting).rejects.toMatchObject({ code: "connection-timeout" })
    silent.close()
  })

  test("is used by fetch with undici's ProxyAgent, as the documentation shows", async () => {
    const { proxyUrl, appId, apiKey, ca } = await optionsOf()
    const token = `Basic ${btoa(`${appId}:${apiKey}`)}`
    const dispatcher = new ProxyAgent({ uri: proxyUrl, token, requestTls: { ca } })
    const response = await fetchWithDispatcher(`${secureUrl}/charges`, { ...charge(), dispatcher })
    expect(await response.json()).toEqual({ id: "ch_1" })
    await dispatcher.close()
  })

  test("fails with the proxy's code for a wrong key, and for a destination without a relay", async () => {
    const options = await optionsOf()
    const last = options.apiKey.endsWith("x") ? "y" : "x"
    const wrong = createForwardProxyAgent({ ...options, apiKey: `${options.apiKey.slice(0, -1)}${last}` })
    const refused = await send(`${secureUrl}/charges`, wrong).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(SealwayError)
    expect(inspect(refused, { depth: 9 })).not.toContain(options.apiKey.slice(0, -1))
    const other = await send("https://localhost:1/", createForwardProxyAgent(options)).catch(
      (error: unknown) => error,
    )
    expect(other).toMatchObject({ code: expect.stringMatching(/./) })
  })

  test("does not trust a destination by another authority than the relay's", async () => {
    const agent = createForwardProxyAgent({ ...(await optionsOf()), ca: certificate })
    await expect(send(`${secureUrl}/charges`, agent)).rejects.toMatchObject({
      code: expect.stringMatching(/CERT|SIGNATURE|ISSUER/),
    })
  })

  test("does not trust the certificate of another host for an address", async () => {
    const port = Number(new URL(secureUrl).port)
    const proxy = createServer().on("connect", (_request, client) => {
      const destination = connect(port, "localhost", () => client.write("HTTP/1.1 200 OK\r\n\r\n"))
      pipeline(client, destination, client, () => {})
    })
    await once(proxy.listen(0, "127.0.0.1"), "listening")
    const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const agent = createForwardProxyAgent({ ...(await optionsOf()), proxyUrl, ca: certificate })
    expect((await send(`${secureUrl}/charges`, agent)).status).toBe(200)
    await expect(send(`https://127.0.0.1:${port}/charges`, agent)).rejects.toMatchObject({
      code: "ERR_TLS_CERT_ALTNAME_INVALID",
    })
    agent.destroy()
    proxy.close()
  })

  test.each([
    { proxyUrl: "http://proxy.example.com" },
    { ca: "marker" },
    { apiKey: "a\r\nb: marker" },
    { appId: "a:marker" },
  ])("refuses the options %j, without repeating them", async (wrong) => {
    const options = await optionsOf()
    expect(() => createForwardProxyAgent({ ...options, ...wrong })).toThrow(TypeError)
    expect(() => createForwardProxyAgent({ ...options, ...wrong })).not.toThrow(/marker/)
  })
})

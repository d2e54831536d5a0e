import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { rewriteLocations } from "./rewrite-locations.ts"
import { actionOn, routeWith } from "./testing/routes.ts"
import { createHandlerWorld, headerIn } from "./testing/world.ts"

const API = { scheme: "https", host: "api.example.com", port: 443 } as const
const OWN = { scheme: "https", host: "pay.shop.example", port: 443 } as const

const rewritten = (name: string, value: string, destination = API, own = OWN) =>
  rewriteLocations([name, value], destination, own)[1]

describe("a URL of the destination becomes the relay's", () => {
  test.each([
    ["https://api.example.com/a?b=c#d", "https://pay.shop.example/a?b=c#d"],
    ["https://api.example.com", "https://pay.shop.example"],
    ["https://api.example.com?a", "https://pay.shop.example?a"],
    ["https://api.example.com/%7e/../ü|\"'<>", "https://pay.shop.example/%7e/../ü|\"'<>"],
    ["//api.example.com/a", "https://pay.shop.example/a"],
    ["http://api.example.com/a", "https://pay.shop.example/a"],
    ["https://api.example.com:443/a", "https://pay.shop.example/a"],
    ["http://api.example.com:80/a", "https://pay.shop.example/a"],
    ["http://api.example.com:443/a", "https://pay.shop.example/a"],
    ["HTTPS://API.Example.COM/A", "https://pay.shop.example/A"],
    ["https://api.example.com./a", "https://pay.shop.example/a"],
    ["https://user:p%40ss@api.example.com/a", "https://user:p%40ss@pay.shop.example/a"],
    ["https://a@b@api.example.com/a", "https://a@b@pay.shop.example/a"],
    ["https:\\\\api.example.com\\a", "https://pay.shop.example\\a"],
    ["/\\api.example.com/a", "https://pay.shop.example/a"],
    ["https:///api.example.com/a", "https://pay.shop.example/a"],
    [" https://%61pi.example.com/a", " https://pay.shop.example/a"],
    ["https:api.example.com/a", "https://pay.shop.example/a"],
    ["http:/api.example.com/a", "https://pay.shop.example/a"],
    ["ht\ttps:/\t/api.exa\tmple.com/a", "https://pay.shop.example/a"],
    ["/\t/api.example.com/a", "https://pay.shop.example/a"],
    ["https://a'b\"c@api.example.com/a", "https://a'b\"c@pay.shop.example/a"],
  ])("%s", (value, expected) => {
    expect(rewritten("Location", value)).toBe(expected)
  })

  test.each([
    [{ scheme: "https", host: "api.example.com", port: 8443 }, "http://api.example.com:8443/a"],
    [{ scheme: "http", host: "127.0.0.1", port: 3100 }, "http://127.1:3100/a"],
    [{ scheme: "http", host: "api.example.com", port: 443 }, "https://api.example.com/a"],
    [{ scheme: "https", host: "2001:db8::1", port: 443 }, "https://[2001:DB8:0::1]/a"],
    [{ scheme: "https", host: "xn--bcher-kva.example", port: 443 }, "https://b\xc3\xbccher.example/a"],
    [{ scheme: "https", host: "xn--bcher-kva.example", port: 443 }, "https://XN--Bcher-kva.example/a"],
  ] as const)("for %j too: %s", (destination, value) => {
    const [, location] = rewriteLocations(["Location", value], destination, OWN)
    expect(location).toBe("https://pay.shop.example/a")
  })

  test("with the scheme and the port at which the client reached the relay", () => {
    const own = { scheme: "http", host: "a.app-1.eu.relay.localhost", port: 7401 } as const
    const [, location] = rewriteLocations(["Location", "https://api.example.com/a"], API, own)
    expect(location).toBe("http://a.app-1.eu.relay.localhost:7401/a")
  })

  test.each([
    ["Content-Location", "https://api.example.com/a", "https://pay.shop.example/a"],
    ["refresh", "5; url=https://api.example.com/a", "5; url=https://pay.shop.example/a"],
    ["Refresh", ' 0,URL = "https://api.example.com/a"', ' 0,URL = "https://pay.shop.example/a"'],
    ["Refresh", "1.5 'https://api.example.com'", "1.5 'https://pay.shop.example'"],
    [
      "Link",
      '<https://api.example.com/a,b>; rel=next; title="a, <https://api.example.com/> \\"", < //api.example.com>;rel="x"',
      '<https://pay.shop.example/a,b>; rel=next; title="a, <https://api.example.com/> \\"", < https://pay.shop.example>;rel="x"',
    ],
  ])("in %s: %s", (name, value, expected) => {
    expect(rewritten(name, value)).toBe(expected)
  })
})

describe("a URL stays when it", () => {
  test.each([
    ["is relative", "/a//api.example.com"],
    ["is relative to the path", "a?https://api.example.com/"],
    ["is a query", "?next=https://api.example.com/"],
    ["is empty", ""],
    ["leads to another host", "https://api.example.com.evil.example/a"],
    ["leads to another host with a user that looks like this one", "https://api.example.com@evil.example/a"],
    ["leads to a subdomain", "https://www.api.example.com/a"],
    ["leads to another port", "https://api.example.com:8443/a"],
    ["has another scheme", "ftp://api.example.com/a"],
    ["is no URL", "https://api.example.com:x/a"],
    ["has no host", "https://"],
  ])("%s", (_, value) => {
    expect(rewritten("Location", value)).toBe(value)
  })

  test.each([
    ["in another header", "X-Url", "https://api.example.com/a"],
    ["after the time without a URL", "Refresh", "5"],
    ["in no target of a link", "Link", 'a="<https://api.example.com/>"; https://api.example.com/'],
  ])("is %s", (_, name, value) => {
    expect(rewritten(name, value)).toBe(value)
  })
})

test("nothing but the origin changes, whatever a header contains", () => {
  const parts = fc.constantFrom(
    "<",
    ">",
    '"',
    "\\",
    ",",
    ";",
    " ",
    "url=",
    "https://api.example.com",
    "/",
    "é",
  )
  fc.assert(
    fc.property(fc.constantFrom("Link", "Refresh", "Location"), fc.array(parts), (name, list) => {
      const value = list.join("")
      const back = rewritten(name, value)?.replaceAll("https://pay.shop.example", "https://api.example.com")
      expect(back).toBe(value)
    }),
  )
})

describe("a relay's answer", () => {
  const LEADING = [
    "Location",
    "https://api.example.com/pay/",
    "Link",
    "<https://api.example.com/2>; rel=next",
  ]
  const answering = () => ({ status: 307, headers: LEADING, body: null })

  test("leads its client to the address of the relay that it asked", async () => {
    const world = await createHandlerWorld({}, answering)
    const { rawHeaders } = await world.send({})
    expect(headerIn(rawHeaders, "location")).toBe(`https://${world.relay.relayDomain}/pay/`)
    expect(headerIn(rawHeaders, "link")).toBe(`<https://${world.relay.relayDomain}/2>; rel=next`)
    const local = await world.send({ scheme: "http", port: 7401 })
    expect(headerIn(local.rawHeaders, "location")).toBe(`http://${world.relay.relayDomain}:7401/pay/`)
  })

  test("leads a client to https that reached the relay through a proxy with TLS", async () => {
    const world = await createHandlerWorld({}, answering)
    const rawHeaders = ["Host", world.relay.relayDomain, "X-Forwarded-Proto", "https"]
    const { rawHeaders: answered } = await world.send({ scheme: "http", rawHeaders })
    expect(headerIn(answered, "location")).toBe(`https://${world.relay.relayDomain}/pay/`)
    expect(headerIn(world.sent[0]?.rawHeaders, "x-forwarded-proto")).toBe("http")
  })

  test("leads it there by 103 Early Hints too", async () => {
    const world = await createHandlerWorld({}, ({ onInformation }) => {
      onInformation?.(103, LEADING.slice(2))
      return { body: null }
    })
    const told: unknown[] = []
    await world.send({ onInformation: (...information) => told.push(information) })
    expect(told).toEqual([[103, ["Link", `<https://${world.relay.relayDomain}/2>; rel=next`]]])
  })

  test.each([
    ["passes", []],
    ["changes", [routeWith({ response: [actionOn("encrypt", "$.name")] })]],
  ])("leads it there by its trailers, if its body %s", async (_, routes) => {
    const trailers = ["Link", "<https://api.example.com/2>"]
    const world = await createHandlerWorld({ routes }, () => ({ body: '{"name":"a"}', trailers }))
    const { trailers: read } = await world.send({})
    expect(read()).toEqual(["Link", `<https://${world.relay.relayDomain}/2>`])
  })

  test("leads to the destination when the relay says so, and for clients of the forward proxy", async () => {
    const passing = await createHandlerWorld({ rewriteLocations: false }, answering)
    expect(headerIn((await passing.send({})).rawHeaders, "location")).toBe("https://api.example.com/pay/")
    const world = await createHandlerWorld({}, answering)
    world.addKey({ id: "key_1" })
    const credentials = { appId: "app_1", apiKeyId: "key_1", scopes: ["*"] }
    const forward = { mode: "forward", host: "api.example.com", port: 443, credentials } as const
    expect(headerIn((await world.send(forward)).rawHeaders, "location")).toBe("https://api.example.com/pay/")
  })

  test("leads to the relay when a decrypted header names the destination", async () => {
    const selections = [{ type: "header", selector: "Location", role: "pii" }] as const
    let location = "https://api.example.com/pay/"
    const world = await createHandlerWorld(
      {
        routes: [
          routeWith({ path: "/seal", response: [{ action: "encrypt", selections }] }),
          routeWith({ path: "/open", response: [{ action: "decrypt", selections }] }),
        ],
      },
      () => ({ headers: ["Location", location], body: null }),
    )
    const ask = async (target: string) => headerIn((await world.send({ target })).rawHeaders, "location")
    location = (await ask("/seal")) ?? ""
    expect(location).toMatch(/^ev:/)
    expect(await ask("/open")).toBe(`https://${world.relay.relayDomain}/pay/`)
  })
})

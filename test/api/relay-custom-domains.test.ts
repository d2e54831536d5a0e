import { afterAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { startDnsServer } from "../support/dns-server.ts"
import { idOf } from "../support/policies.ts"
import { expectProblem } from "../support/problem.ts"
import { type CallOptions, useService } from "../support/service.ts"

const dns = await startDnsServer()
afterAll(() => dns.close())
const service = useService("container", { dnsServers: [dns.address] })

const TARGET = "relay.localhost"
const UNKNOWN = "custom_domain_00000000000000000000000000"

const domainSchema = z.strictObject({
  id: z.string().regex(/^custom_domain_[0-9a-hjkmnp-tv-z]{26}$/),
  relay: z.string(),
  domain: z.string(),
  status: z.enum(["pending", "verified", "active", "failed"]),
  customDomain: z.string(),
  problem: z.string().nullable(),
  records: z.tuple([
    z.strictObject({ type: z.literal("CNAME"), name: z.string(), value: z.string() }),
    z.strictObject({ type: z.literal("TXT"), name: z.string(), value: z.string().min(32) }),
  ]),
  checkedAt: z.int().nullable(),
  validationRecord: z.string(),
  createdAt: z.int(),
  updatedAt: z.int(),
})
type Domain = z.infer<typeof domainSchema>

let made = 0
const newName = () => `pay-${++made}.customer.example`

async function newRelay(options: CallOptions = {}): Promise<string> {
  const answer = await service.post("/relays", { destinationDomain: `d-${++made}.example` }, options)
  expect(answer.status, answer.text).toBe(201)
  return idOf(answer.json)
}

async function add(relay: string, domain: string, options: CallOptions = {}): Promise<Domain> {
  const answer = await service.post(`/relays/${relay}/custom-domains`, { domain }, options)
  expect(answer.status, answer.text).toBe(201)
  return domainSchema.parse(answer.json)
}

const pathOf = ({ relay, id }: Domain) => `/relays/${relay}/custom-domains/${id}`

async function verify(domain: Domain, options: CallOptions = {}): Promise<Domain> {
  const answer = await service.post(`${pathOf(domain)}/verify`, undefined, options)
  expect(answer.status, answer.text).toBe(200)
  return domainSchema.parse(answer.json)
}

/** Puts the records that the service asks for into DNS. */
function publish({ records: [cname, txt] }: Domain): void {
  dns.zone.set(cname.name, { CNAME: cname.value })
  dns.zone.set(txt.name, { TXT: [txt.value] })
}

async function publishedAndVerified(
  relay: string,
  name = newName(),
  options: CallOptions = {},
): Promise<Domain> {
  const domain = await add(relay, name, options)
  publish(domain)
  return verify(domain, options)
}

/** Returns the relay that answers for a host, in this process. */
async function servedAt(host: string): Promise<string | null> {
  const found = await service.service.platform.configTable.get({ pk: `relay-domain#${host}`, sk: "claim" })
  return found && String(found.relayId)
}

describe("a custom domain", () => {
  test("may be named by customDomain, and returns its name and its TXT record under both names", async () => {
    const path = `/relays/${await newRelay()}/custom-domains`
    const name = newName()
    const answer = await service.post(path, { customDomain: name })
    expect(answer.status, answer.text).toBe(201)
    const domain = domainSchema.parse(answer.json)
    expect(domain).toMatchObject({ domain: name, customDomain: name })
    expect(domain.validationRecord).toBe(domain.records[1].value)
    expectProblem(await service.post(path, { domain: newName(), customDomain: newName() }), "invalid-request")
    expectProblem(await service.post(path, {}), "invalid-request")
  })

  test("is pending at first, and returns the DNS records it needs", async () => {
    const relay = await newRelay()
    const domain = await add(relay, "Pay.Müller.Example.")
    expect(domain).toMatchObject({
      relay,
      domain: "pay.xn--mller-kva.example",
      status: "pending",
      problem: null,
      checkedAt: null,
      records: [
        { type: "CNAME", name: "pay.xn--mller-kva.example", value: TARGET },
        { type: "TXT", name: "_ev-custom-domain.pay.xn--mller-kva.example" },
      ],
    })
    expect((await service.get(pathOf(domain))).json).toEqual(domain)
    expect(await servedAt(domain.domain)).toBeNull()
  })

  test("is active, and the relay's, once its records are right", async () => {
    const relay = await newRelay()
    const domain = await publishedAndVerified(relay)
    expect(domain).toMatchObject({ status: "active", problem: null, checkedAt: expect.any(Number) })
    expect((await service.get(pathOf(domain))).json).toEqual(domain)
    expect(await servedAt(domain.domain)).toBe(relay)
    expect((await verify(domain)).status).toBe("active")
  })

  test("has another token for another app and for another domain, and the same for the same", async () => {
    const { auth } = await service.newApp("sandbox")
    const [mine, theirs, name] = [await newRelay(), await newRelay({ auth }), newName()]
    const tokens = [
      (await add(mine, name)).records[1].value,
      (await add(theirs, name, { auth })).records[1].value,
      (await add(mine, newName())).records[1].value,
    ]
    expect(new Set(tokens).size).toBe(3)
    expect((await add(await newRelay(), name)).records[1].value).toBe(tokens[0])
  })

  test.each<[string, (domain: Domain) => void]>([
    [
      "upper case and several texts, of which one is in parts",
      ({ records: [cname, txt] }) => {
        dns.zone.set(cname.name, { CNAME: TARGET.toUpperCase() })
        const { value } = txt
        dns.zone.set(txt.name, { TXT: ["v=spf1 -all", [value.slice(0, 10), value.slice(10)], "x"] })
      },
    ],
    [
      "aliases of aliases",
      ({ records: [cname, txt] }) => {
        dns.zone.set(cname.name, { CNAME: "one.alias.example" })
        dns.zone.set("one.alias.example", { CNAME: "two.alias.example" })
        dns.zone.set("two.alias.example", { CNAME: TARGET })
        dns.zone.set(txt.name, { TXT: [txt.value] })
      },
    ],
    [
      "the target's addresses in the place of an alias",
      ({ records: [cname, txt] }) => {
        dns.zone.set(cname.name, { A: ["192.0.2.2"], AAAA: ["2001:db8::1"] })
        dns.zone.set(TARGET, { A: ["192.0.2.1", "192.0.2.2"], AAAA: ["2001:db8::1"] })
        dns.zone.set(txt.name, { TXT: [txt.value] })
      },
    ],
  ])("is active with %s", async (_what, publishIt) => {
    const domain = await add(await newRelay(), newName())
    publishIt(domain)
    expect(await verify(domain)).toMatchObject({ status: "active", problem: null })
  })

  test.each<[string, string, (domain: Domain) => void]>([
    ["txt-missing", "no text", ({ records: [, txt] }) => dns.zone.delete(txt.name)],
    ["txt-mismatch", "another text", ({ records: [, txt] }) => dns.zone.set(txt.name, { TXT: ["other"] })],
    [
      "txt-mismatch",
      "a text that only begins right",
      ({ records: [, txt] }) => dns.zone.set(txt.name, { TXT: [`${txt.value}0`] }),
    ],
    ["cname-missing", "no alias", ({ domain }) => dns.zone.delete(domain)],
    ["cname-mismatch", "another alias", ({ domain }) => dns.zone.set(domain, { CNAME: "other.example" })],
    ["cname-mismatch", "an alias of itself", ({ domain }) => dns.zone.set(domain, { CNAME: domain })],
    ["cname-mismatch", "other addresses", ({ domain }) => dns.zone.set(domain, { A: ["198.51.100.9"] })],
  ])(
    "fails with %s when there is %s, is no longer served, and can recover",
    async (problem, _what, spoil) => {
      const domain = await publishedAndVerified(await newRelay())
      spoil(domain)
      expect(await verify(domain)).toMatchObject({ status: "failed", problem })
      expect(await servedAt(domain.domain)).toBeNull()
      publish(domain)
      expect(await verify(domain)).toMatchObject({ status: "active", problem: null })
    },
  )

  test.each(["SERVFAIL", "REFUSED"] as const)(
    "keeps its state when DNS answers %s, and says so",
    async (failure) => {
      const [fresh, active] = [
        await add(await newRelay(), newName()),
        await publishedAndVerified(await newRelay()),
      ]
      for (const { records } of [fresh, active]) dns.zone.set(records[1].name, { failure })
      expect(await verify(fresh)).toMatchObject({ status: "pending", problem: "dns-unavailable" })
      expect(await verify(active)).toMatchObject({ status: "active", problem: "dns-unavailable" })
      expect(await servedAt(active.domain)).toBe(active.relay)
    },
  )

  test("keeps its state when DNS does not answer, and says so", async () => {
    const domain = await publishedAndVerified(await newRelay())
    dns.zone.set(domain.domain, { failure: "silence" })
    expect(await verify(domain)).toMatchObject({ status: "active", problem: "dns-timeout" })
  }, 30_000)
})

describe("a domain that one app has verified", () => {
  test("is refused to others with conflict", async () => {
    const { domain } = await publishedAndVerified(await newRelay())
    const { auth } = await service.newApp("sandbox")
    const theirs = await newRelay({ auth })
    expectProblem(await service.post(`/relays/${theirs}/custom-domains`, { domain }, { auth }), "conflict")
    const ours = await newRelay()
    expectProblem(await service.post(`/relays/${ours}/custom-domains`, { domain }), "conflict")
  })

  test("cannot be taken over by another app that requested it before", async () => {
    const { auth } = await service.newApp("sandbox")
    const name = newName()
    const [ours, theirs] = [await newRelay(), await newRelay({ auth })]
    const [first, second] = [await add(ours, name), await add(theirs, name, { auth })]
    publish(first)
    const [, { value }] = first.records
    dns.zone.set(second.records[1].name, { TXT: [value, second.records[1].value] })
    expect((await verify(first)).status).toBe("active")
    expect(await verify(second, { auth })).toMatchObject({ status: "failed", problem: "taken" })
    expect(await servedAt(name)).toBe(ours)
    expect((await service.delete(pathOf(first))).status).toBe(202)
    expect((await verify(second, { auth })).status).toBe("active")
    expect(await servedAt(name)).toBe(theirs)
  })

  test("belongs to one relay when two verify it at the same moment", async () => {
    const { auth } = await service.newApp("sandbox")
    const name = newName()
    const first = await add(await newRelay(), name)
    const second = await add(await newRelay({ auth }), name, { auth })
    publish(first)
    dns.zone.set(first.records[1].name, { TXT: [first.records[1].value, second.records[1].value] })
    const both = await Promise.all([verify(first), verify(second, { auth })])
    expect(both.map(({ status }) => status).sort()).toEqual(["active", "failed"])
    expect(await servedAt(name)).toBe(both.find(({ status }) => status === "active")?.relay)
  })

  test("is free again when its relay is deleted", async () => {
    const relay = await newRelay()
    const { domain } = await publishedAndVerified(relay)
    expect((await service.delete(`/relays/${relay}`)).status).toBe(202)
    expect(await servedAt(domain)).toBeNull()
    expect((await publishedAndVerified(await newRelay(), domain)).status).toBe("active")
  })
})

describe("custom domains", () => {
  test.each([
    "",
    "marker-7f3a",
    "*.marker-7f3a.example",
    "https://marker-7f3a.example",
    "marker-7f3a.example/x",
    "marker-7f3a.example:443",
    "marker 7f3a.example",
    "192.0.2.1",
    "[2001:db8::1]",
    "marker-7f3a..example",
    "_.marker-7f3a",
    "relay.localhost",
    "x.app-1.relay.localhost",
    `${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}`,
  ])("refuse '%s' with invalid-request, without repeating it", async (domain) => {
    const answer = await service.post(`/relays/${await newRelay()}/custom-domains`, { domain })
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer: "/domain" }] })
    expect(answer.text).not.toContain("marker-7f3a")
  })

  test("are listed by relay, newest first, and refuse a duplicate with conflict", async () => {
    const relay = await newRelay()
    const [older, newer] = [await add(relay, newName()), await add(relay, newName())]
    await add(await newRelay(), newName())
    const listed = await service.get(`/relays/${relay}/custom-domains`)
    expect(listed.json).toEqual({ data: [newer, older], hasMore: false })
    const again = { domain: older.domain.toUpperCase() }
    expectProblem(await service.post(`/relays/${relay}/custom-domains`, again), "conflict")
  })

  test("are not found for other apps, or without a relay", async () => {
    const { auth } = await service.newApp("sandbox")
    const domain = await add(await newRelay(), newName())
    const other = await newRelay()
    const places = [
      [pathOf(domain), auth],
      [pathOf({ ...domain, id: UNKNOWN }), undefined],
      [pathOf({ ...domain, relay: other }), undefined],
      [pathOf({ ...domain, relay: "nonsense" }), undefined],
    ] as const
    for (const [path, key] of places) {
      const options = key === undefined ? {} : { auth: key }
      expectProblem(await service.get(path, options), "not-found")
      expectProblem(await service.delete(path, options), "not-found")
      expectProblem(await service.post(`${path}/verify`, undefined, options), "not-found")
    }
    expect((await service.get(pathOf(domain))).status).toBe(200)
  })

  test("are deleted, and no longer served", async () => {
    const domain = await publishedAndVerified(await newRelay())
    expect((await service.delete(pathOf(domain))).status).toBe(202)
    expectProblem(await service.get(pathOf(domain)), "not-found")
    expect(await servedAt(domain.domain)).toBeNull()
  })

  test("are for keys with relay:write, and read with relay:read", async () => {
    const domain = await add(await newRelay(), newName())
    const auth = await service.newKey(service.sandbox.app, ["relay:read"])
    expect((await service.get(pathOf(domain), { auth })).status).toBe(200)
    expectProblem(await service.post(`${pathOf(domain)}/verify`, undefined, { auth }), "forbidden")
    expectProblem(await service.delete(pathOf(domain), { auth }), "forbidden")
    expectProblem(await service.get(pathOf(domain), { auth: null }), "unauthorized")
  })
})

import type { App } from "@sealway/accounts"
import { TEST_APP } from "@sealway/accounts/testing"
import { createTestKeyring } from "@sealway/keys/testing"
import type { Table } from "@sealway/ports"
import { createMemoryTable } from "@sealway/ports/testing"
import { describe, expect, test } from "vitest"
import type { Relay } from "../relays/relay.ts"
import { relayDomainsOf } from "../relays/relay-domains.ts"
import { TEST_RELAY } from "../testing/test-relay.ts"
import { createRelayDirectory } from "./relay-directory.ts"
import { claimDomain, releaseDomain } from "./relay-domain-table.ts"
import { createRelay, removeRelay, replaceRelay } from "./relay-table.ts"

const RELAY_DOMAIN = "relay.example.com"
const TTL_MS = 10_000

function relayOf(host: string, changes: Partial<Relay> = {}): Relay {
  const destination = { scheme: "https", host, port: 443 } as const
  return {
    ...TEST_RELAY,
    id: `relay_${host}`,
    destinationDomain: host,
    destination,
    relayDomain: relayDomainsOf(destination, TEST_APP.id, RELAY_DOMAIN)[0],
    createdAt: 1,
    updatedAt: 1,
    ...changes,
  }
}

function createWorld() {
  const memory = createMemoryTable()
  let reads = 0
  const configTable: Table = {
    ...memory,
    get(key) {
      reads++
      return memory.get(key)
    },
    page(...args) {
      reads++
      return memory.page(...args)
    },
    list(...args) {
      reads++
      return memory.list(...args)
    },
  }
  // The cache treats 0 as no time at all.
  let nowMs = 1
  let app: App = TEST_APP
  const keyring = createTestKeyring()
  const relays = createRelayDirectory({
    configTable,
    directory: { app: async (id) => (id === app.id ? app : null) },
    keyring,
    relayDomain: RELAY_DOMAIN,
    now: () => nowMs,
  })
  const claim = (domain: string, { id, appId, destination }: Relay, customDomainId: string | null) =>
    claimDomain(
      memory,
      domain,
      { appId, relayId: id, host: destination.host, port: destination.port, customDomainId, revision: 1 },
      async () => false,
    )
  return {
    memory,
    relays,
    keyring,
    claim,
    reads: () => reads,
    setApp: (changes: Partial<App>) => {
      app = { ...app, ...changes }
    },
    pass: (ms: number) => {
      nowMs += ms
    },
    async add(host: string, changes: Partial<Relay> = {}) {
      const relay = relayOf(host, changes)
      await claim(relay.relayDomain, relay, null)
      await createRelay(memory, relay)
      return relay
    },
  }
}

describe("a relay is found", () => {
  test("by its domain, with or without a region label, and by its destination", async () => {
    const { relays, add } = createWorld()
    const relay = await add("api.example.com")
    const [label, app] = relay.relayDomain.split(".")
    for (const region of ["", "us.", "eu."]) {
      const found = await relays.byDomain(`${label}.${app}.${region}${RELAY_DOMAIN}`)
      expect(found?.relay).toEqual(relay)
      expect(found?.app).toEqual(TEST_APP)
    }
    expect((await relays.byDestination(TEST_APP.id, "api.example.com", 443))?.relay.id).toBe(relay.id)
    expect(await relays.byDestination(TEST_APP.id, "api.example.com", 8443)).toBeNull()
    expect(await relays.byDestination("app_2", "api.example.com", 443)).toBeNull()
    expect(await relays.byDomain(`other.${app}.${RELAY_DOMAIN}`)).toBeNull()
  })

  test("by a custom domain, until the claim is released", async () => {
    const { relays, add, claim, memory, pass } = createWorld()
    const relay = await add("api.example.com")
    const domain = "pay.customer.example"
    expect(await relays.byDomain(domain)).toBeNull()
    await claim(domain, relay, "custom_domain_1")
    pass(TTL_MS + 1)
    expect((await relays.byDomain(domain))?.relay.id).toBe(relay.id)
    const owner = { appId: relay.appId, relayId: relay.id }
    await releaseDomain(memory, domain, { ...owner, customDomainId: "custom_domain_2" })
    pass(TTL_MS + 1)
    expect((await relays.byDomain(domain))?.relay.id).toBe(relay.id)
    await releaseDomain(memory, domain, { ...owner, customDomainId: "custom_domain_1" })
    pass(TTL_MS + 1)
    expect(await relays.byDomain(domain)).toBeNull()
  })

  test("by no custom domain of an earlier relay at its destination", async () => {
    const { relays, add, claim, memory } = createWorld()
    const gone = await add("api.example.com")
    await claim("pay.customer.example", gone, "custom_domain_1")
    await removeRelay(memory, gone)
    await add("api.example.com", { id: "relay_2" })
    expect(await relays.byDomain("pay.customer.example")).toBeNull()
    expect((await relays.byDomain(gone.relayDomain))?.relay.id).toBe("relay_2")
  })

  test("no longer when its app is disabled or gone", async () => {
    const { relays, add, setApp } = createWorld()
    const { relayDomain } = await add("api.example.com")
    setApp({ status: "disabled" })
    expect(await relays.byDomain(relayDomain)).toBeNull()
    setApp({ status: "enabled" })
    expect((await relays.byDomain(relayDomain))?.app.status).toBe("enabled")
    setApp({ id: "app_9" })
    expect(await relays.byDomain(relayDomain)).toBeNull()
  })

  test.each(["", "a b", "A.example", "a/b", "x\u0000y", "a".repeat(254)])(
    "by no invalid host, without any read: %j",
    async (host) => {
      const { relays, reads } = createWorld()
      expect(await relays.byDomain(host)).toBeNull()
      expect(await relays.byDestination(TEST_APP.id, host, 443)).toBeNull()
      expect(await relays.isDestination(host, 443)).toBe(false)
      expect(reads()).toBe(0)
    },
  )
})

describe("the relay cache", () => {
  test("needs two reads at first, and none for ten seconds, however many ask at once", async () => {
    const { relays, add, reads, pass } = createWorld()
    const { relayDomain } = await add("api.example.com")
    await Promise.all(Array.from({ length: 50 }, () => relays.byDomain(relayDomain)))
    expect(reads()).toBe(2)
    pass(TTL_MS - 1)
    await relays.byDomain(relayDomain)
    expect(reads()).toBe(2)
    pass(2)
    await relays.byDomain(relayDomain)
    expect(reads()).toBe(4)
  })

  test("also remembers what does not exist", async () => {
    const { relays, reads } = createWorld()
    for (let round = 0; round < 5; round++) expect(await relays.byDomain("none.example")).toBeNull()
    expect(reads()).toBe(1)
  })

  test("returns the same object until the relay or its app changes, so that it is compiled once", async () => {
    const { relays, add, memory, pass, setApp } = createWorld()
    const relay = await add("api.example.com")
    const first = await relays.byDomain(relay.relayDomain)
    pass(TTL_MS + 1)
    expect(await relays.byDomain(relay.relayDomain)).toBe(first)
    await replaceRelay(memory, { ...relay, leakWatch: "alert" })
    pass(TTL_MS + 1)
    const second = await relays.byDomain(relay.relayDomain)
    expect(second?.relay).toMatchObject({ leakWatch: "alert", revision: 2 })
    expect(second?.compiled).not.toBe(first?.compiled)
    setApp({ revision: 2 })
    expect((await relays.byDomain(relay.relayDomain))?.app.revision).toBe(2)
  })

  test("is dropped when the relay is reported as changed", async () => {
    const { relays, add, memory } = createWorld()
    const relay = await add("api.example.com")
    expect(await relays.isDestination("api.example.com", 443)).toBe(true)
    expect(await relays.listDestinations(TEST_APP)).toHaveLength(1)
    await relays.byDomain(relay.relayDomain)
    await removeRelay(memory, relay)
    relays.forget(relay, [relay.relayDomain])
    expect(await relays.byDomain(relay.relayDomain)).toBeNull()
    expect(await relays.isDestination("api.example.com", 443)).toBe(false)
    expect(await relays.listDestinations(TEST_APP)).toEqual([])
  })
})

describe("destinations", () => {
  test("of an app are listed newest first", async () => {
    const { relays, add } = createWorld()
    const [older, newer] = [
      await add("a.example", { id: "relay_1" }),
      await add("b.example", { id: "relay_2" }),
    ]
    await add("c.example", { id: "relay_3", appId: "app_2" })
    expect(await relays.listDestinations(TEST_APP)).toEqual(
      [newer, older].map(({ id, destinationDomain, destination }) => ({
        id,
        destinationDomain,
        destination,
      })),
    )
  })

  test("are recognised in any app, and not by a name that outlived its relay", async () => {
    const { relays, add, memory } = createWorld()
    await add("a.example", { appId: "app_2" })
    expect(await relays.isDestination("a.example", 443)).toBe(true)
    expect(await relays.isDestination("a.example", 80)).toBe(false)
    await memory.put(
      { pk: "relay-destination#b.example:443", sk: "app#app_1" },
      { appId: "app_1", revision: 1 },
    )
    expect(await relays.isDestination("b.example", 443)).toBe(false)
  })
})

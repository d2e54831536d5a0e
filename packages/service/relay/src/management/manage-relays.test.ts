import { createSocket } from "node:dgram"
import { once } from "node:events"
import { TEST_APP } from "@sealway/accounts/testing"
import { CancelledError, processTask } from "@sealway/kernel"
import { createTestKeyring } from "@sealway/keys/testing"
import { RANDOM_DRAWS } from "@sealway/ports"
import { createMemoryTable, type Explored, exploreHistories, SimulatedService } from "@sealway/ports/testing"
import { describe, expect, onTestFinished, test } from "vitest"
import type { RelayDependencies } from "../dependencies.ts"
import { txtTokenOf } from "../domains/custom-domain.ts"
import { listCustomDomains } from "../domains/custom-domain-table.ts"
import { createDnsQueries } from "../domains/dns-queries.ts"
import { addCustomDomain } from "../domains/manage-custom-domains.ts"
import { verifyCustomDomain } from "../domains/verify-custom-domain.ts"
import { createLocalEdge, type RelayEdge } from "../edge/relay-edge.ts"
import { createRelayDirectory } from "../records/relay-directory.ts"
import { findDomainClaim } from "../records/relay-domain-table.ts"
import { findRelay, findRelayAt, pageRelays } from "../records/relay-table.ts"
import { addRelay, changeRelay, removeRelay, showRelayNow } from "./manage-relays.ts"

const AUTHOR = { actor: { type: "system", id: "sealway" }, ip: null, requestId: null } as const
const RELAY_DOMAIN = "relay.example.com"
const TARGET = "target.example.com"
const PLACE = { host: "api.example.com", port: 443 }
const SETTINGS = {
  destinationDomain: "api.example.com",
  routes: [],
  authentication: null,
  encryptEmptyStrings: true,
  leakWatch: "off",
  caseSensitiveNames: false,
  unknownContentTypes: "refuse",
  unencryptableErrors: "refuse",
  unmatched: "refuse",
  passContentTypes: [],
  rewriteLocations: true,
  forwardedHeaders: "x-forwarded",
  serverTiming: false,
  clientCertificate: null,
} as const

interface WorldOptions {
  readonly edge?: RelayEdge
  /** What happens to requests. Default: nothing. */
  readonly explored?: Explored
}

/** Creates a service on one table. */
function createWorld({ edge = createLocalEdge(), explored }: WorldOptions = {}) {
  const simulated = new SimulatedService({ explored })
  const configTable = simulated.createTable("config")
  const keyring = createTestKeyring()
  let nowMs = 1_700_000_000_000
  const wallClock = () => nowMs++
  const txts = new Set<string>()
  const newProcess = (): RelayDependencies => {
    const directory = { app: async () => TEST_APP }
    const dataRoles = {
      find: async () => null,
      markUsed: async () => false,
      decide: async () => new Map(),
      forget: () => {},
      flush: async () => {},
    }
    return {
      configTable,
      eventsTable: createMemoryTable(),
      keyring,
      directory,
      dataRoles,
      edge,
      wallClock,
      now: wallClock,
      draws: RANDOM_DRAWS,
      audit: { record: async () => {}, async *read() {} },
      hasDashboard: false,
      events: { publish: async () => {}, forget: () => {} },
      log: { warn: () => {} },
      relays: createRelayDirectory({
        configTable,
        directory,
        keyring,
        relayDomain: RELAY_DOMAIN,
        now: wallClock,
      }),
      dns: {
        txt: async () => ({ ok: true, records: [...txts] }),
        cname: async () => ({ ok: true, records: [TARGET] }),
        addresses: async () => ({ ok: true, records: [] }),
      },
      relayDomain: RELAY_DOMAIN,
      customDomainTarget: TARGET,
      allowPrivateDestinations: false,
    }
  }
  return {
    configTable,
    txts,
    /** Creates the dependencies of a newly started process. */
    newProcess,
    /** Runs a request, which may die or fail. */
    mortal: (act: () => Promise<unknown>) => simulated.mortal(act),
  }
}
type World = ReturnType<typeof createWorld>

const add = (world: World) => addRelay(world.newProcess(), TEST_APP, SETTINGS, AUTHOR)

/** Expects that all lookups agree: at most one relay, found in every way, or in none. */
async function expectWhole(world: World): Promise<string | null> {
  const { configTable } = world
  const relay = await findRelayAt(configTable, TEST_APP.id, PLACE)
  const { data } = await pageRelays(configTable, TEST_APP.id, { limit: 100 })
  expect(data.map((each) => each.relay)).toEqual(relay === null ? [] : [relay])
  const { relays } = world.newProcess()
  expect(await relays.isDestination(PLACE.host, PLACE.port)).toBe(relay !== null)
  if (relay === null) return null
  expect((await findRelay(configTable, TEST_APP.id, relay.id))?.relay).toEqual(relay)
  return relay.id
}

describe("a process that dies, or whose call fails,", () => {
  test("while creating a relay leaves it or nothing, and a retry completes it", async () => {
    await exploreHistories(async (explored) => {
      const world = createWorld({ explored })
      explored.begin()
      await world.mortal(() => add(world))
      const left = await expectWhole(world)
      if (left === null) await add(world)
      else {
        await expect(add(world)).rejects.toMatchObject({ code: "conflict" })
        await changeRelay(world.newProcess(), TEST_APP, left, { leakWatch: "alert" }, AUTHOR)
      }
      const id = await expectWhole(world)
      const relay = await findRelayAt(world.configTable, TEST_APP.id, PLACE)
      const served = await world.newProcess().relays.byDomain(relay?.relayDomain ?? "")
      expect(served?.relay.id).toBe(id)
      expect((await showRelayNow(world.newProcess(), TEST_APP, id ?? "")).domainStatus).toBe("active")
    })
  })

  test("while removing a relay leaves what another call removes, and then nothing remains", async () => {
    await exploreHistories(async (explored) => {
      const world = createWorld({ explored })
      const { relay } = await add(world)
      const own = await addCustomDomain(
        world.newProcess(),
        TEST_APP,
        relay.id,
        "pay.example.org",
        AUTHOR,
        processTask,
      )
      explored.begin()
      await world.mortal(() => removeRelay(world.newProcess(), TEST_APP, relay.id, AUTHOR))
      if ((await expectWhole(world)) !== null)
        await removeRelay(world.newProcess(), TEST_APP, relay.id, AUTHOR)
      expect(await expectWhole(world)).toBeNull()
      expect(await listCustomDomains(world.configTable, TEST_APP.id, relay.id)).toEqual([])
      expect(await findDomainClaim(world.configTable, relay.relayDomain)).toBeNull()
      expect(await findDomainClaim(world.configTable, own.domain)).toBeNull()
      const again = await add(world)
      expect(again.relay.relayDomain).toBe(relay.relayDomain)
      expect(await expectWhole(world)).toBe(again.relay.id)
    })
  })

  test("while verifying a domain leaves one that verifies on retry", async () => {
    await exploreHistories(async (explored) => {
      const world = createWorld({ explored })
      const { relay } = await add(world)
      const made = await addCustomDomain(
        world.newProcess(),
        TEST_APP,
        relay.id,
        "pay.example.org",
        AUTHOR,
        processTask,
      )
      const verify = () =>
        verifyCustomDomain(world.newProcess(), TEST_APP, relay.id, made.id, AUTHOR, processTask)
      world.txts.add(txtTokenOf(TEST_APP.id, made.domain))
      explored.begin()
      await world.mortal(verify)
      expect(await verify()).toMatchObject({ status: "active", problem: null })
      expect((await world.newProcess().relays.byDomain(made.domain))?.relay.id).toBe(relay.id)
    })
  })
})

describe("the edge", () => {
  test("leaves a domain pending when it is not ready, and is asked again when the relay is shown", async () => {
    let status: "pending" | "active" = "pending"
    const attached: string[] = []
    const world = createWorld({
      edge: {
        attach: async (domain) => {
          attached.push(domain)
        },
        status: async () => status,
        detach: async () => {},
      },
    })
    const { relay, domainStatus } = await add(world)
    expect(domainStatus).toBe("pending")
    expect(attached).toEqual([relay.relayDomain])
    status = "active"
    expect((await showRelayNow(world.newProcess(), TEST_APP, relay.id)).domainStatus).toBe("active")
    expect((await findRelay(world.configTable, TEST_APP.id, relay.id))?.domainStatus).toBe("active")
  })

  test("leaves a relay with a failed domain when it fails, and is tried again when the relay is changed", async () => {
    let isDown = true
    const world = createWorld({
      edge: {
        ...createLocalEdge(),
        attach: async () => {
          if (isDown) throw new Error("The edge is down")
        },
      },
    })
    const { relay, domainStatus } = await add(world)
    expect(domainStatus).toBe("failed")
    isDown = false
    const changed = await changeRelay(world.newProcess(), TEST_APP, relay.id, { leakWatch: "alert" }, AUTHOR)
    expect(changed.domainStatus).toBe("active")
  })
})

describe("removing a relay", () => {
  test("keeps a domain at the edge that it only requested, and that another app has", async () => {
    const attached = new Set<string>()
    const world = createWorld({
      edge: {
        attach: async (domain) => void attached.add(domain),
        status: async () => "active",
        detach: async (domain) => void attached.delete(domain),
      },
    })
    const [theirs, ours] = [{ ...TEST_APP, id: "app_other" }, TEST_APP]
    const squatting = (await addRelay(world.newProcess(), theirs, SETTINGS, AUTHOR)).relay
    await addCustomDomain(world.newProcess(), theirs, squatting.id, "pay.example.org", AUTHOR, processTask)
    const { relay } = await add(world)
    const made = await addCustomDomain(
      world.newProcess(),
      ours,
      relay.id,
      "pay.example.org",
      AUTHOR,
      processTask,
    )
    world.txts.add(txtTokenOf(ours.id, made.domain))
    await verifyCustomDomain(world.newProcess(), ours, relay.id, made.id, AUTHOR, processTask)

    await removeRelay(world.newProcess(), theirs, squatting.id, AUTHOR)
    expect([...attached].sort()).toEqual([relay.relayDomain, "pay.example.org"].sort())
    await removeRelay(world.newProcess(), ours, relay.id, AUTHOR)
    expect([...attached]).toEqual([])
  })
})

describe("a domain that has changed owners", () => {
  test("goes to the app that DNS now names, and is refused while it still names the previous one", async () => {
    const world = createWorld()
    const next = { ...TEST_APP, id: "app_other" }
    const { relay } = await add(world)
    const made = await addCustomDomain(
      world.newProcess(),
      TEST_APP,
      relay.id,
      "pay.example.org",
      AUTHOR,
      processTask,
    )
    world.txts.add(txtTokenOf(TEST_APP.id, made.domain))
    await verifyCustomDomain(world.newProcess(), TEST_APP, relay.id, made.id, AUTHOR, processTask)
    const theirs = (await addRelay(world.newProcess(), next, SETTINGS, AUTHOR)).relay
    const ask = () => addCustomDomain(world.newProcess(), next, theirs.id, made.domain, AUTHOR, processTask)
    world.txts.add(txtTokenOf(next.id, made.domain))
    await expect(ask()).rejects.toMatchObject({ code: "conflict" })

    world.txts.delete(txtTokenOf(TEST_APP.id, made.domain))
    const { id } = await ask()
    expect(
      await verifyCustomDomain(world.newProcess(), next, theirs.id, id, AUTHOR, processTask),
    ).toMatchObject({ status: "active" })
    expect(await findDomainClaim(world.configTable, made.domain)).toMatchObject({ appId: next.id })
    await removeRelay(world.newProcess(), TEST_APP, relay.id, AUTHOR)
    expect(await findDomainClaim(world.configTable, made.domain)).toMatchObject({ appId: next.id })
  })
})

test("a domain's verification ends with the request, and changes nothing, while no name server answers", async () => {
  const silent = createSocket("udp4").bind(0, "127.0.0.1")
  await once(silent, "listening")
  onTestFinished(() => void silent.close())
  const world = createWorld()
  const { relay } = await add(world)
  const dependencies = world.newProcess()
  const made = await addCustomDomain(dependencies, TEST_APP, relay.id, "pay.example.org", AUTHOR, processTask)
  const dns = createDnsQueries({ servers: [`127.0.0.1:${silent.address().port}`] })
  const ending = new AbortController()
  const verified = verifyCustomDomain({ ...dependencies, dns }, TEST_APP, relay.id, made.id, AUTHOR, ending)
  await once(silent, "message")
  const reason = new CancelledError("client")
  ending.abort(reason)
  await expect(verified).rejects.toBe(reason)
  expect(await listCustomDomains(dependencies.configTable, TEST_APP.id, relay.id)).toEqual([made])
})

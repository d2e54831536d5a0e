import { exploreHistories } from "@sealway/ports/testing"
import { describe, expect, test } from "vitest"
import * as z from "zod"
import { applyEnrolmentNews } from "../enrolments/apply-news.ts"
import { findEnrolment } from "../enrolments/enrolled-record.ts"
import { listEnrolled } from "../enrolments/keep-enrolled.ts"
import { sendEnrolmentWork } from "../enrolments/messages.ts"
import { namePending } from "../enrolments/pending-enrolments.ts"
import {
  addMerchant,
  changeMerchant,
  deleteMerchant,
  requireMerchant,
} from "../merchants/manage-merchants.ts"
import { type MerchantDetails, VERIFI } from "../merchants/merchant.ts"
import { MERCHANTS } from "../merchants/merchant-kind.ts"
import { showMerchant } from "../merchants/show-merchant.ts"
import type { EnrolmentAnswer } from "../networks/messages/enrolment.ts"
import { PRODUCTION_APP as APP, AUTHOR, createWorld, type WorldOptions } from "../testing/world.ts"

const DETAILS: MerchantDetails = {
  name: "Marker Shop",
  shortName: null,
  website: "https://marker.example.com",
  categoryCode: "5411",
  business: {
    legalName: "Marker Limited",
    address: { line1: "1 Marker Street", city: "Markertown", postalCode: "M4RK3R", country: "ie" },
  },
  heldIdentifiers: {},
  domains: [],
  verifi: { isEnabled: false, refundRule: null },
  ethoca: { isEnabled: false },
  retries: { isEnabled: false },
}
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Visa decides immediately, Mastercard on the second look, American Express only with its own report. */
const decide: NonNullable<WorldOptions["decide"]> = ({ name, asks }): EnrolmentAnswer => {
  if (name === "network-tokens/visa") return { status: "active", tokenRequestorIdentifier: "40010075001" }
  if (name === "network-tokens/american-express") return { status: "pending" }
  return asks === 1 ? { status: "pending", checkAfterMs: MINUTE_MS } : { status: "active" }
}

type World = Awaited<ReturnType<typeof createWorld>>

const create = (world: World, details: Partial<MerchantDetails> = {}) =>
  addMerchant(world.dependencies, APP, { ...DETAILS, ...details }, AUTHOR)

const statusesOf = async (world: World, id: string) => {
  const { networkTokens } = showMerchant(await requireMerchant(world.dependencies, APP, id))
  return networkTokens.enrolment.map(({ status }) => status)
}

/** Reports for a network, repeatedly until it is accepted. */
async function tell(world: World, id: string, name: string, answer: EnrolmentAnswer) {
  const { round } = findEnrolment(await requireMerchant(world.dependencies, APP, id), name) ?? { round: 0 }
  const news = { id, round, occurredAt: world.now(), answer }
  for (;;) {
    if (await world.mortal(() => applyEnrolmentNews(MERCHANTS, APP, news, world.dependencies))) return
  }
}

const standingIn = (data: unknown) => JSON.stringify(z.object({ networkTokens: z.unknown() }).parse(data))
const PENDING = {
  enrolment: ["visa", "mastercard", "american-express"].map((cardBrand) => ({
    cardBrand,
    tokenRequestorIdentifier: null,
    status: "pending",
  })),
}

/** Takes a merchant from pending to decided, collecting all possible events. */
async function enrolAll(world: World) {
  const { id } = await create(world)
  await world.work(10 * MINUTE_MS)
  await tell(world, id, "network-tokens/american-express", { status: "failed" })
  await world.work(60 * MINUTE_MS)
  await world.sweep(30 * MINUTE_MS)
  await world.work(30 * MINUTE_MS)
  return id
}

describe("the enrolment worker", () => {
  test("asks until each network has decided, and publishes each change as one event", async () => {
    const world = await createWorld({ decide })
    const id = await enrolAll(world)
    expect(await statusesOf(world, id)).toEqual(["active", "active", "failed"])
    expect(world.events()).toHaveLength(3)
    expect(world.published).toHaveLength(3)
    expect(world.events().at(-1)).toMatchObject({
      type: "payments.merchant.updated",
      data: showMerchant(await requireMerchant(world.dependencies, APP, id)),
    })
    expect(world.pending()).toEqual([])
    expect(world.messages).toEqual([])
  })

  test("loses nothing and publishes nothing twice when it dies at any one call", async () => {
    await exploreHistories(async (explored) => {
      const world = await createWorld({ decide, explored })
      explored.begin()
      const id = await enrolAll(world)
      const shown = showMerchant(await requireMerchant(world.dependencies, APP, id))
      const statuses = await statusesOf(world, id)
      expect(statuses).toEqual(["active", "active", "failed"])
      // Changes that coincide because a worker was late are published together; every event is a change.
      const told = world.events().map(({ data }) => standingIn(data))
      expect(told.length).toBeGreaterThan(0)
      expect(new Set([standingIn({ ...shown, networkTokens: PENDING }), ...told]).size).toBe(told.length + 1)
      for (const { id: eventId, data } of world.published) {
        expect(world.events().find((event) => event.id === eventId)?.data).toEqual(data)
      }
      expect(world.events().at(-1)?.data).toEqual(shown)
      // At most one enrolment request per network: only asking again is repeated.
      expect([1, 2, 3].map((round) => `${id}.${round}`)).toEqual(
        expect.arrayContaining([...world.asked.keys()]),
      )
      expect(world.pending()).toEqual([])
    })
  })

  test("continues after all messages were lost, when the service restarts", async () => {
    const world = await createWorld({ decide })
    const { id } = await create(world)
    await world.work(1_000)
    await world.restart()
    await world.work(10 * MINUTE_MS)
    expect(await statusesOf(world, id)).toEqual(["active", "active", "pending"])
  })

  test("is woken by the sweeper when its message was lost, but not before it is overdue", async () => {
    const world = await createWorld({ decide })
    const { id } = await create(world)
    world.loseMessages()
    await world.sweep(30 * MINUTE_MS)
    expect(world.messages).toHaveLength(0)
    await world.work(31 * MINUTE_MS)
    await world.sweep(30 * MINUTE_MS)
    expect(world.messages).toHaveLength(1)
    await world.work(10 * MINUTE_MS)
    expect(await statusesOf(world, id)).toEqual(["active", "active", "pending"])
  })

  test("leaves what is due in hours to the sweeper, and asks again then", async () => {
    const world = await createWorld({ decide })
    const { id } = await create(world)
    await world.work(HOUR_MS)
    expect(world.messages).toEqual([])
    expect(world.pending()).toHaveLength(1)
    await world.sweep(30 * MINUTE_MS)
    expect(world.messages).toEqual([])
    await world.work(6 * HOUR_MS)
    await world.sweep(30 * MINUTE_MS)
    expect(world.messages).toHaveLength(1)
    await world.work(MINUTE_MS)
    expect(world.asked.get(`${id}.3`)).toBe(2)
  })

  test("keeps asking an unresponsive network, less and less often, and recovers", async () => {
    const world = await createWorld({ decide: () => ({ status: "active" }) })
    world.setUnavailable(true)
    const { id } = await create(world)
    await world.work(HOUR_MS)
    expect(await statusesOf(world, id)).toEqual(["pending", "pending", "pending"])
    expect(world.events()).toEqual([])
    expect(world.logged.length).toBeGreaterThan(3)
    expect(world.logged.length).toBeLessThan(50)
    world.setUnavailable(false)
    for (let hours = 0; hours < 8; hours++) {
      await world.sweep(0)
      await world.work(HOUR_MS)
    }
    expect(await statusesOf(world, id)).toEqual(["active", "active", "active"])
  })

  test("asks a network less and less often that always wants to be asked again immediately", async () => {
    const world = await createWorld({ decide: () => ({ status: "pending", checkAfterMs: 0 }) })
    const { id } = await create(world)
    for (let hours = 0; hours < 48; hours++) {
      await world.work(HOUR_MS)
      await world.sweep(0)
    }
    expect(world.asked.get(`${id}.1`)).toBeLessThan(150)
    expect(world.asked.get(`${id}.1`)).toBeGreaterThan(48)
  })

  test("lists all other records when one does not open, and logs that one", async () => {
    const world = await createWorld({ decide })
    const [broken, sound] = [await create(world), await create(world)]
    const key = { pk: `app#${APP.id}`, sk: `merchant#${broken.id}` }
    await world.paymentsTable.put(key, {
      ...(await world.paymentsTable.get(key)),
      sealed: Buffer.alloc(60),
      revision: 1,
    })
    const listed = await listEnrolled(MERCHANTS, world.dependencies, APP)
    expect(listed.map(({ id }) => id)).toEqual([sound.id])
    expect(world.logged).toHaveLength(1)
    await world.paymentsTable.put(key, { id: broken.id, revision: 1 })
    expect(await listEnrolled(MERCHANTS, world.dependencies, APP)).toHaveLength(1)
  })

  test("handles all other records when one, or its entry, is unreadable", async () => {
    const world = await createWorld({ decide })
    const ids: string[] = []
    for (let count = 0; count < 8; count++) ids.push((await create(world)).id)
    const [first = "", last = ""] = [ids[0], ids.at(-1)]
    const broken = { pk: `app#${APP.id}`, sk: `merchant#${first}` }
    expect(await world.paymentsTable.get(broken)).not.toBeNull()
    await world.paymentsTable.put(broken, { id: first, revision: 1 })
    const name = [...world.paymentsTable.items.values()].find(
      ({ pk, sk }) => String(pk).startsWith("payments-pending#") && sk === last,
    )
    await world.paymentsTable.put({ pk: String(name?.pk), sk: last }, { id: last })
    await world.restart()
    await world.work(10 * MINUTE_MS)
    for (const id of ids.slice(1, -1)) {
      expect(await statusesOf(world, id)).toEqual(["active", "active", "pending"])
    }
    expect(JSON.stringify(world.logged)).toContain(first)
    expect(JSON.stringify(world.logged)).toContain(last)
  })

  test("refuses changes with conflict, rather than outgrow its item, while a network accepts no withdrawals", async () => {
    const world = await createWorld()
    world.setUnavailable(true)
    const { id } = await create(world)
    const label = "a".repeat(60)
    const change = (round: number) => {
      const domains = Array.from({ length: 50 }, (_, index) =>
        `${round}-${index}.${label}.${label}.${label}.${label}`.slice(0, 250),
      )
      return changeMerchant(world.dependencies, APP, id, { domains }, AUTHOR)
    }
    for (let round = 0; round < 4; round++) await change(round)
    await expect(change(4)).rejects.toMatchObject({ code: "conflict" })
    const item = await world.paymentsTable.get({ pk: `app#${APP.id}`, sk: `merchant#${id}` })
    expect(z.object({ sealed: z.instanceof(Uint8Array) }).parse(item).sealed.length).toBeLessThan(300_000)
    world.setUnavailable(false)
    for (let hours = 0; hours < 8; hours++) {
      await world.sweep(0)
      await world.work(HOUR_MS)
    }
    expect((await change(4)).enrolments.length).toBeLessThan(120)
  })

  test("ignores news that is outdated or about an earlier request", async () => {
    const world = await createWorld()
    const { id } = await create(world, { verifi: { isEnabled: true, refundRule: null } })
    await world.work(MINUTE_MS)
    const before = await requireMerchant(world.dependencies, APP, id)
    const enrolment = findEnrolment(before, VERIFI)
    const news = (round: number, occurredAt: number) => ({
      id,
      round,
      occurredAt,
      answer: { status: "failed" } as const,
    })
    await applyEnrolmentNews(MERCHANTS, APP, news(enrolment?.round ?? 0, 1), world.dependencies)
    await applyEnrolmentNews(MERCHANTS, APP, news(99, world.now()), world.dependencies)
    expect(await requireMerchant(world.dependencies, APP, id)).toEqual(before)
  })

  test("treats news from the future as current, so that later news still counts", async () => {
    const world = await createWorld()
    const { id } = await create(world)
    await world.work(MINUTE_MS)
    const far = {
      id,
      round: 1,
      occurredAt: world.now() + 10 * HOUR_MS,
      answer: { status: "failed" } as const,
    }
    await applyEnrolmentNews(MERCHANTS, APP, far, world.dependencies)
    expect((await statusesOf(world, id))[0]).toBe("failed")
    await world.work(MINUTE_MS)
    await tell(world, id, "network-tokens/visa", { status: "active" })
    expect((await statusesOf(world, id))[0]).toBe("active")
  })

  test("publishes each of two changes that come before a worker runs, as separate events", async () => {
    const world = await createWorld()
    const { id } = await create(world)
    await world.work(MINUTE_MS)
    const before = world.events().length
    await tell(world, id, "network-tokens/visa", { status: "failed" })
    const later = { id, round: 1, occurredAt: world.now() + 1, answer: { status: "active" } as const }
    world.advance(1)
    await applyEnrolmentNews(MERCHANTS, APP, later, world.dependencies)
    await world.work(MINUTE_MS)
    const visa = world.events().map(({ data }) => standingIn(data).match(/"status":"([a-z]+)"/)?.[1])
    expect(visa.slice(before)).toEqual(["failed", "active"])
  })

  test("keeps the entry of a record that another call is about to write, for a day", async () => {
    const world = await createWorld()
    const { id } = await create(world)
    await world.work(MINUTE_MS)
    const { revision } = await requireMerchant(world.dependencies, APP, id)
    const work = { type: "merchant", appId: APP.id, id } as const
    const { paymentsTable, queues } = world.dependencies
    await namePending(paymentsTable, work, world.now(), revision + 1)
    await sendEnrolmentWork(queues, work)
    await world.work(MINUTE_MS)
    expect(world.pending()).toHaveLength(1)
    // That call has died.
    await world.work(25 * HOUR_MS)
    await world.sweep(HOUR_MS)
    await world.work(MINUTE_MS)
    expect(world.pending()).toEqual([])
  })

  test("withdraws a deleted merchant's enrolments from the networks, then forgets it", async () => {
    const world = await createWorld()
    const { id } = await create(world, { domains: ["shop.example.com"] })
    await world.work(MINUTE_MS)
    await deleteMerchant(world.dependencies, APP, id, AUTHOR)
    await expect(requireMerchant(world.dependencies, APP, id)).rejects.toMatchObject({ code: "not-found" })
    await world.work(MINUTE_MS)
    expect([...world.withdrawn].sort()).toEqual([1, 2, 3, 4].map((round) => `${id}.${round}`))
    expect(world.kept()).toEqual([])
  })

  test("stops withdrawing after 30 days when a network does not accept it", async () => {
    const world = await createWorld()
    const { id } = await create(world)
    await world.work(MINUTE_MS)
    world.setUnavailable(true)
    await deleteMerchant(world.dependencies, APP, id, AUTHOR)
    for (let days = 0; days < 32; days++) {
      await world.sweep(0)
      await world.work(24 * HOUR_MS)
    }
    expect(world.kept()).toEqual([])
  })

  test("enrols again, with a new reference, what was withdrawn and is wanted again", async () => {
    const world = await createWorld()
    const { id } = await create(world, { domains: ["shop.example.com"] })
    await world.work(MINUTE_MS)
    const set = (...domains: string[]) => changeMerchant(world.dependencies, APP, id, { domains }, AUTHOR)
    await set()
    await world.work(MINUTE_MS)
    expect([...world.withdrawn]).toEqual([`${id}.4`])
    await set("shop.example.com")
    await world.work(MINUTE_MS)
    expect([...world.asked.keys()].at(-1)).toBe(`${id}.5`)
    const { applePay } = showMerchant(await requireMerchant(world.dependencies, APP, id))
    expect(applePay.domains).toEqual([{ domain: "shop.example.com", status: "active" }])
  })

  test("stores no readable details of a merchant", async () => {
    const world = await createWorld({ decide })
    await enrolAll(world)
    await create(world, { domains: ["marker.example.com"] })
    const kept = JSON.stringify([...world.paymentsTable.items], (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
    )
    expect(kept).not.toMatch(/mark[e3]r/i)
    expect(JSON.stringify([world.messages, world.audited, world.logged])).not.toMatch(/mark[e3]r/i)
  })
})

import { dyingWhen, exploreHistories } from "@sealway/ports/testing"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { cardNumberToken } from "../card-number-of.ts"
import { applyEnrolmentNews } from "../enrolments/apply-news.ts"
import { deleteEnrolled } from "../enrolments/change-enrolled.ts"
import { workOf } from "../enrolments/enrolled-kind.ts"
import { makeEnrolled, requireEnrolled, wakeWorker } from "../enrolments/keep-enrolled.ts"
import { namePending } from "../enrolments/pending-enrolments.ts"
import { holdMerchant, refuseUsedMerchant } from "../merchants/merchant-uses.ts"
import { newNetworkToken, TOKEN_STEPS } from "../network-tokens/network-token.ts"
import { NETWORK_TOKENS, tokenDecisionOf } from "../network-tokens/network-token-kind.ts"
import { networkTokenSchema, showNetworkToken } from "../network-tokens/show-network-token.ts"
import { TOKEN_STATUSES, type TokenStanding, type TokenStatus } from "../networks/messages/network-token.ts"
import { openOwnNumber } from "../own-number.ts"
import { DEATHS, expectSettled, happeningsAround, letHappen, restartDaily } from "../testing/histories.ts"
import { PRODUCTION_APP as APP, AUTHOR, createWorld } from "../testing/world.ts"

const NUMBER = "4895371357924687"
const NEW_NUMBER = "4895371357924695"
const MERCHANT = "merchant_00000000000000000000000000"
const EXPIRY = { month: "09", year: "39" }
const LATER = { month: "09", year: "44" }
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

type World = Awaited<ReturnType<typeof createWorld>>

const workFor = (id: string) => workOf(NETWORK_TOKENS, APP, id)

/** Records a request before the network is asked. */
async function intend(world: World): Promise<string> {
  const { paymentsTable, draws } = world.dependencies
  const id = draws.newId("network_token", world.now())
  await holdMerchant(paymentsTable, APP, MERCHANT, { type: "network-token", id, since: world.now() })
  await namePending(paymentsTable, workFor(id), world.now(), 1)
  return id
}

/** Stores a token as `POST /payments/network-tokens` does. */
async function provision(world: World, status: TokenStatus = "active"): Promise<string> {
  const { dependencies } = world
  const id = await intend(world)
  const details = {
    merchantId: MERCHANT,
    expiry: EXPIRY,
    status,
    tokenRequestorIdentifier: "40010075001",
    number: await cardNumberToken(dependencies, APP, { digits: NUMBER, token: null }),
    card: { lastFour: "4242", expiry: EXPIRY, facts: { brand: "visa" as const } },
    paymentAccountReference: null,
    tokenServiceProvider: "vts" as const,
  }
  const token = newNetworkToken(id, APP.id, details, { checkAfterMs: MINUTE_MS }, world.now())
  await makeEnrolled(NETWORK_TOKENS, dependencies, APP, token)
  await wakeWorker(NETWORK_TOKENS, dependencies, APP, token, { isNamed: true })
  return id
}

const find = (world: World, id: string) => requireEnrolled(NETWORK_TOKENS, world.dependencies, APP, id)
const show = async (world: World, id: string) => showNetworkToken(await find(world, id))
const isHeld = async (world: World) => {
  const refused = refuseUsedMerchant(world.dependencies.paymentsTable, APP, MERCHANT, world.now())
  return refused.then(
    () => false,
    () => true,
  )
}

/** Reports for a network, repeatedly until it is accepted. */
async function tell(world: World, id: string, standing: TokenStanding, occurredAt = world.now()) {
  const news = { id, round: 1, occurredAt, answer: tokenDecisionOf(standing) }
  for (;;) {
    if (await world.mortal(() => applyEnrolmentNews(NETWORK_TOKENS, APP, news, world.dependencies))) return
  }
}

describe("the network token worker", () => {
  test("asks about the state of a token that is being provisioned, and publishes it once", async () => {
    const world = await createWorld({
      decideToken: ({ asks }) =>
        asks === 1 ? { status: "provisioning", checkAfterMs: MINUTE_MS } : { status: "active" },
    })
    const id = await provision(world, "provisioning")
    await world.work(10 * MINUTE_MS)
    expect(await show(world, id)).toMatchObject({ status: "active" })
    expect(world.asked.get(`${id}.1`)).toBe(2)
    expect(world.events()).toEqual([
      ...[{ id: expect.any(String), type: "payments.network-token.updated", data: await show(world, id) }],
    ])
    expect(world.pending()).toEqual([])
  })

  test("applies a changed number, expiry and card, and ignores the same ones", async () => {
    const world = await createWorld()
    const id = await provision(world)
    await world.work(MINUTE_MS)
    const standing = {
      ...({ status: "active", number: NEW_NUMBER, expiry: LATER } as const),
      card: { lastFour: "0002", expiry: LATER },
    }
    await tell(world, id, standing)
    await world.work(MINUTE_MS)
    await tell(world, id, standing)
    await world.work(MINUTE_MS)
    const shown = await show(world, id)
    expect(shown).toMatchObject({ expiry: LATER, card: { lastFour: "0002", expiry: LATER, brand: "visa" } })
    expect(await openOwnNumber(world.dependencies.keyring, APP, shown.number)).toBe(NEW_NUMBER)
    expect(world.events()).toHaveLength(1)
  })

  test("deletes a token at the network, and forgets it, when it dies at any one call", async () => {
    await exploreHistories(async (explored) => {
      const world = await createWorld({ explored })
      explored.begin()
      const id = await provision(world)
      await world.work(MINUTE_MS)
      await world.mortal(async () => deleteEnrolled(NETWORK_TOKENS, world.dependencies, APP, id, AUTHOR))
      for (let hours = 0; hours < 3; hours++) {
        await world.sweep(30 * MINUTE_MS)
        await world.work(HOUR_MS)
      }
      const isThere = (await NETWORK_TOKENS.table.find(world.dependencies, APP, id)) !== null
      // The caller was either told that it is deleted, or can ask again.
      if (isThere) {
        await deleteEnrolled(NETWORK_TOKENS, world.dependencies, APP, id, AUTHOR)
        await world.work(HOUR_MS)
      }
      expect(world.withdrawn).toEqual(new Set([`${id}.1`]))
      for (let days = 0; days < 2; days++) {
        await world.sweep(30 * MINUTE_MS)
        await world.work(DAY_MS)
      }
      expect(world.kept()).toEqual([])
    })
  })

  test("tells the network to delete what a dead request asked for, once no repetition can come", async () => {
    const world = await createWorld()
    const id = await intend(world)
    for (let hours = 0; hours < 24; hours++) {
      await world.sweep(30 * MINUTE_MS)
      await world.work(HOUR_MS)
    }
    expect(world.withdrawn).toEqual(new Set())
    expect(await isHeld(world)).toBe(true)
    for (let hours = 0; hours < 3; hours++) {
      await world.work(HOUR_MS)
      await world.sweep(30 * MINUTE_MS)
    }
    await world.work(HOUR_MS)
    expect(world.withdrawn).toEqual(new Set([`${id}.1`]))
    expect(world.pending()).toEqual([])
    expect(await isHeld(world)).toBe(false)
  })

  test("releases the merchant of a token that the network has deleted, and keeps the token", async () => {
    const world = await createWorld()
    const id = await provision(world)
    await world.work(MINUTE_MS)
    expect(await isHeld(world)).toBe(true)
    await tell(world, id, { status: "deleted" })
    await world.work(MINUTE_MS)
    expect(await show(world, id)).toMatchObject({ status: "deleted" })
    expect(await isHeld(world)).toBe(false)
  })

  test("holds the merchant until the network's deletion of the token is recorded, wherever a worker dies", async () => {
    await exploreHistories(async (explored) => {
      let asked = 0
      const world = await createWorld({
        explored,
        decideToken: () => ({ status: asked++ === 0 ? "deleted" : "active" }),
      })
      const id = await provision(world, "provisioning")
      explored.begin()
      await world.work(2 * MINUTE_MS)
      await restartDaily(world)
      const { status } = await show(world, id)
      expect(await isHeld(world)).toBe(status !== "deleted")
    })
  })

  test("stores nothing readable of a token except its name", async () => {
    const world = await createWorld()
    const id = await provision(world)
    await tell(world, id, { status: "suspended", number: NEW_NUMBER })
    await world.work(MINUTE_MS)
    const kept = JSON.stringify([...world.paymentsTable.items], (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
    )
    const told = JSON.stringify([world.messages, world.audited, world.logged, world.published])
    for (const number of [NUMBER, NEW_NUMBER]) {
      for (const part of [number, number.slice(0, 9), number.slice(7)])
        expect(kept + told).not.toContain(part)
    }
    expect(kept).not.toMatch(/4242|suspended/)
  })
})

const standing: fc.Arbitrary<TokenStanding> = fc.record(
  {
    status: fc.constantFrom(...TOKEN_STATUSES),
    number: fc.constantFrom(NUMBER, NEW_NUMBER),
    expiry: fc.constantFrom(EXPIRY, LATER),
    card: fc.record({ lastFour: fc.constantFrom("0001", "0002") }),
  },
  { requiredKeys: ["status"] },
)
const happening = fc.oneof(
  fc.record({ what: fc.constant("news" as const), standing, agoMs: fc.nat(100_000) }),
  ...happeningsAround(1, MINUTE_MS, DAY_MS),
)

test("a network token only changes as its state table allows, published once, for any events in any order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("active" as const, "provisioning" as const),
      fc.array(happening, { maxLength: 20 }),
      DEATHS,
      fc.infiniteStream(standing),
      async (first, happenings, dies, standings) => {
        let isOver = false
        const world = await createWorld({
          explored: dyingWhen(() => !isOver && dies.next().value === true),
          decideToken: () =>
            isOver ? { status: "active" } : (standings.next().value ?? { status: "active" }),
        })
        const id = await provision(world, first)
        let { status } = await show(world, id)
        for (const each of happenings) {
          if (each.what === "news") await tell(world, id, each.standing, world.now() - each.agoMs)
          else await letHappen(world, each)
          const token = networkTokenSchema.parse(await show(world, id))
          // Several messages may have been processed.
          if (each.what === "news" && token.status !== status)
            expect(TOKEN_STEPS[status]).toContain(token.status)
          if (status === "deleted") expect(token.status).toBe("deleted")
          if (status !== "provisioning") expect(token.status).not.toBe("provisioning")
          status = token.status
        }
        isOver = true
        world.setUnavailable(false)
        await restartDaily(world)
        const token = await show(world, id)
        expect(token.status).not.toBe("provisioning")
        // The last event matches the current state.
        const { updatedAt: _, ...unchanged } = token
        const last: unknown = world.events().at(-1)?.data ?? unchanged
        expect(last).toEqual(token)
        expectSettled(world)
        expect(await isHeld(world)).toBe(token.status !== "deleted")
        await deleteEnrolled(NETWORK_TOKENS, world.dependencies, APP, id, AUTHOR)
        await world.work(DAY_MS)
        expect(world.kept()).toEqual([])
      },
    ),
    { numRuns: 60 },
  )
}, 120_000)

import { dyingWhen } from "@sealway/ports/testing"
import fc from "fast-check"
import { expect, test } from "vitest"
import { applyEnrolmentNews } from "../enrolments/apply-news.ts"
import {
  addMerchant,
  changeMerchant,
  deleteMerchant,
  requireMerchant,
} from "../merchants/manage-merchants.ts"
import { domainEnrolment, ETHOCA, isListed, type MerchantChanges, VERIFI } from "../merchants/merchant.ts"
import { MERCHANTS } from "../merchants/merchant-kind.ts"
import { merchantSchema, showMerchant } from "../merchants/show-merchant.ts"
import type { EnrolmentAnswer } from "../networks/messages/enrolment.ts"
import { DEATHS, expectSettled, happeningsAround, letHappen } from "../testing/histories.ts"
import { PRODUCTION_APP as APP, AUTHOR, createWorld } from "../testing/world.ts"

const DETAILS = {
  name: "Shop",
  shortName: null,
  website: "https://shop.example.com",
  categoryCode: "5411",
  business: {
    legalName: "Shop Limited",
    address: { line1: "1 Street", city: "Dublin", postalCode: "D01", country: "ie" },
  },
  heldIdentifiers: {},
  domains: [],
  verifi: { isEnabled: false, refundRule: null },
  ethoca: { isEnabled: false },
  retries: { isEnabled: false },
}
const DAY_MS = 24 * 60 * 60_000

const decided = fc.constantFrom<EnrolmentAnswer>({ status: "active" }, { status: "failed" })
const answer = fc.oneof(
  decided,
  fc.constantFrom<EnrolmentAnswer>({ status: "pending", checkAfterMs: 60_000 }, { status: "pending" }),
)
const changes: fc.Arbitrary<MerchantChanges> = fc.record(
  {
    domains: fc.subarray(["a.example.com", "b.example.com"]),
    verifi: fc.record({
      isEnabled: fc.boolean(),
      refundRule: fc.constantFrom(null, { maximumAmount: 1, currency: "eur" }),
    }),
    ethoca: fc.record({ isEnabled: fc.boolean() }),
  },
  { requiredKeys: [] },
)
/** Generates an event of a merchant. */
const happening = fc.oneof(
  fc.record({ what: fc.constant("change" as const), changes }),
  fc.record({
    what: fc.constant("news" as const),
    round: fc.integer({ min: 1, max: 8 }),
    agoMs: fc.nat(100_000),
    answer,
  }),
  ...happeningsAround(1, 61_000, 7 * 60 * 60_000),
)

test("a merchant ends as its app and the networks say, published once, for any events in any order", async () => {
  const history = fc.array(happening, { maxLength: 25 })
  await fc.assert(
    fc.asyncProperty(history, DEATHS, fc.infiniteStream(answer), async (happenings, dies, answers) => {
      let isOver = false
      const world = await createWorld({
        explored: dyingWhen(() => !isOver && dies.next().value === true),
        decide: () => (isOver ? { status: "active" } : (answers.next().value ?? { status: "active" })),
      })
      const { dependencies } = world
      const { id } = await addMerchant(dependencies, APP, DETAILS, AUTHOR)
      for (const each of happenings) {
        if (each.what === "change") await changeMerchant(dependencies, APP, id, each.changes, AUTHOR)
        else if (each.what === "news") {
          const news = { id, round: each.round, occurredAt: world.now() - each.agoMs, answer: each.answer }
          await world.mortal(() => applyEnrolmentNews(MERCHANTS, APP, news, dependencies))
        } else await letHappen(world, each)
        merchantSchema.parse(showMerchant(await requireMerchant(dependencies, APP, id)))
      }
      isOver = true
      world.setUnavailable(false)
      for (let days = 0; days < 3; days++) {
        await world.sweep(0)
        await world.work(DAY_MS)
      }

      const merchant = await requireMerchant(dependencies, APP, id)
      const { domains, verifi, ethoca } = merchant.details
      const isWanted = (name: string) => {
        if (name === VERIFI) return verifi.isEnabled
        if (name === ETHOCA) return ethoca.isEnabled
        return (
          !name.startsWith(domainEnrolment("")) || domains.includes(name.slice(domainEnrolment("").length))
        )
      }
      for (const { name, status } of merchant.enrolments) {
        expect(isListed(merchant.details, name)).toBe(true)
        expect({ name, status }).toEqual({
          name,
          status: isWanted(name) ? expect.stringMatching(/^(active|failed)$/) : "inactive",
        })
      }
      expectSettled(world)
      const rounds = new Set(Array.from({ length: merchant.rounds }, (_, index) => `${id}.${index + 1}`))
      expect([...world.asked.keys(), ...world.withdrawn].filter((each) => !rounds.has(each))).toEqual([])

      await deleteMerchant(dependencies, APP, id, AUTHOR)
      await world.work(DAY_MS)
      expect(world.kept()).toEqual([])
    }),
    { numRuns: 60 },
  )
})

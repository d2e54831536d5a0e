import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { EnrolmentAnswer } from "../networks/messages/enrolment.ts"
import {
  afterEnrolmentEvent,
  ENROLMENT_STEPS,
  type Enrolment,
  type EnrolmentEvent,
  type EnrolmentStatus,
  newEnrolment,
  RECHECK_MS,
} from "./enrolment.ts"

const STATUSES: readonly EnrolmentStatus[] = ["inactive", "pending", "active", "failed", "withdrawing"]

const round = fc.integer({ min: 1, max: 6 })
const atMs = fc.integer({ min: 1, max: 1_000_000 })
const answer: fc.Arbitrary<EnrolmentAnswer> = fc.oneof(
  fc.record({
    status: fc.constant("active" as const),
    tokenRequestorIdentifier: fc.string({ minLength: 1 }),
  }),
  fc.constant({ status: "active" as const }),
  fc.constant({ status: "failed" as const }),
  fc.constant({ status: "pending" as const }),
  fc.record({ status: fc.constant("pending" as const), checkAfterMs: fc.nat(RECHECK_MS) }),
)
const event: fc.Arbitrary<EnrolmentEvent> = fc.oneof(
  fc.record({ type: fc.constant("request" as const), round, atMs }),
  fc.record({ type: fc.constant("withdraw" as const), atMs }),
  fc.record({ type: fc.constant("news" as const), round, atMs, answer }),
  fc.record({ type: fc.constant("withdrawn" as const), round }),
  fc.record({ type: fc.constant("setback" as const), round, atMs, waitMs: fc.nat(100_000) }),
)

/** Returns an enrolment after some events. */
const after = (...events: readonly EnrolmentEvent[]): Enrolment =>
  events.reduce(afterEnrolmentEvent, newEnrolment("network-tokens/visa"))

const requested = { type: "request", round: 1, atMs: 1_000 } as const
const news = (given: EnrolmentAnswer, at = 2_000, round = 1) =>
  ({ type: "news", round, atMs: at, answer: given }) as const

describe("an enrolment", () => {
  test("only changes as its state table allows, for any events in any order", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let current = newEnrolment("network-tokens/visa")
        for (const each of events) {
          const next = afterEnrolmentEvent(current, each)
          expect(STATUSES).toContain(next.status)
          if (next !== current) expect(Object.values(ENROLMENT_STEPS[current.status])).toContain(next.status)
          expect(next.round).toBeGreaterThanOrEqual(current.round)
          if (next.round === current.round) expect(next.newsAt).toBeGreaterThanOrEqual(current.newsAt)
          // Waiting enrolments are checked again, settled ones are not.
          const isWaiting = next.status === "pending" || next.status === "withdrawing"
          expect(next.checkAt !== null).toBe(isWaiting)
          current = next
        }
      }),
      { numRuns: 500 },
    )
  })

  test("is changed once by an event that comes twice", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), fc.oneof(event), (events, each) => {
        fc.pre(each.type === "request" || each.type === "news" || each.type === "withdrawn")
        const once = afterEnrolmentEvent(after(...events), each)
        expect(afterEnrolmentEvent(once, each)).toBe(once)
      }),
    )
  })

  test("ends with the newest news, in whatever order active and failed are reported", () => {
    const decided = fc.constantFrom<EnrolmentAnswer>({ status: "active" }, { status: "failed" })
    const told = fc.uniqueArray(fc.record({ at: atMs, answer: decided }), {
      selector: ({ at }) => at,
      minLength: 1,
    })
    fc.assert(
      fc.property(told, (all) => {
        const newest = all.reduce((left, right) => (left.at > right.at ? left : right))
        const end = after(requested, ...all.map((each) => news(each.answer, each.at)))
        expect(end.status).toBe(newest.answer.status)
      }),
    )
  })

  test("ignores news about a request that was followed by another one", () => {
    const second = { type: "request", round: 2, atMs: 3_000 } as const
    const enrolment = after(requested, second, news({ status: "failed" }, 4_000, 1))
    expect(enrolment).toMatchObject({ status: "pending", round: 2 })
  })

  test("keeps its identifier when it becomes active, and loses it once it is withdrawn", () => {
    const active = after(requested, news({ status: "active", tokenRequestorIdentifier: "40010075001" }))
    expect(active).toMatchObject({ status: "active", identifier: "40010075001", checkAt: null })
    const withdrawing = afterEnrolmentEvent(active, { type: "withdraw", atMs: 5_000 })
    expect(withdrawing).toMatchObject({ status: "withdrawing", checkAt: 5_000 })
    const gone = afterEnrolmentEvent(withdrawing, { type: "withdrawn", round: 1 })
    expect(gone).toMatchObject({ status: "inactive", identifier: null, checkAt: null })
  })

  test("stays withdrawing when the withdrawal of an earlier request is confirmed", () => {
    const withdraw = { type: "withdraw", atMs: 5_000 } as const
    const second = { type: "request", round: 2, atMs: 6_000 } as const
    const withdrawing = after(requested, withdraw, second, { ...withdraw, atMs: 7_000 })
    expect(afterEnrolmentEvent(withdrawing, { type: "withdrawn", round: 1 })).toBe(withdrawing)
    const gone = afterEnrolmentEvent(withdrawing, { type: "withdrawn", round: 2 })
    expect(gone).toMatchObject({ status: "inactive", checkAt: null })
  })

  test("is asked about again when the network says, but not within a second", () => {
    expect(after(requested, news({ status: "pending", checkAfterMs: 60_000 })).checkAt).toBe(62_000)
    expect(after(requested, news({ status: "pending", checkAfterMs: 0 })).checkAt).toBe(3_000)
    expect(after(requested, news({ status: "pending" })).checkAt).toBe(2_000 + RECHECK_MS)
  })
})

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { failureReasonOf } from "../codes/failure-reason.ts"
import { isDecided, SESSION_MS, type Session } from "../record/session.ts"
import { BROWSER, NOW_MS, sampleARes, sampleCRes, sampleRReq, sampleSession } from "../testing/messages.ts"
import { afterSessionEvent, NEXT_PHASES, type SessionEvent } from "./session-steps.ts"

const RRES = { type: "RRes", at: NOW_MS, data: {} } as const

const events: fc.Arbitrary<SessionEvent> = fc
  .tuple(
    fc.oneof(
      fc.constant({ type: "browser-known", browser: BROWSER, frame: null } as const),
      fc
        .constantFrom("complete", "timeout")
        .map((fingerprint) => ({ type: "fingerprinted", fingerprint }) as const),
      fc.constant({ type: "claimed", untilMs: NOW_MS + 2 * SESSION_MS, areq: null } as const),
      fc
        .constantFrom("Y", "N", "U", "A", "R", "C", "I", "D")
        .map((status) => ({ type: "answered", ares: sampleARes(status) }) as const),
      fc.constant({ type: "refused", reason: "protocol-error", erro: null } as const),
      fc
        .tuple(fc.constantFrom("Y", "N", "U", "A", "R"), fc.constantFrom(undefined, "01", "04", "05"))
        .map(
          ([status, cancel]) => ({ type: "results", rreq: sampleRReq(status, cancel), rres: RRES }) as const,
        ),
      fc.constantFrom("Y", "N").map((status) => ({ type: "returned", cres: sampleCRes(status) }) as const),
      fc
        .constantFrom("cancelled", "failed-authentication", "challenge-required")
        .map((reason) => ({ type: "left", reason }) as const),
      fc.constant({ type: "expired" } as const),
    ),
    fc.integer({ min: 0, max: SESSION_MS + 1 }),
  )
  .map(([event, afterMs]) => ({ ...event, atMs: NOW_MS + afterMs }))

/** Whether the issuer reports with this event that the cardholder is authenticated. */
function isProof(event: SessionEvent): boolean {
  if (event.type === "answered") return ["Y", "A", "I"].includes(event.ares.transStatus ?? "")
  if (event.type !== "results" || event.rreq.challengeCancel !== undefined) return false
  return ["Y", "A"].includes(event.rreq.transStatus ?? "")
}

const sessions = fc
  .record({
    methodUrl: fc.constantFrom(null, "https://acs.example.com/method"),
    obstacle: fc.constantFrom(null, "card-not-enrolled" as const),
    initiator: fc.constantFrom(
      { type: "customer" } as const,
      { type: "merchant", reason: "recurring" } as const,
    ),
  })
  .map(sampleSession)

const outcomeOf = ({ progress: { phase, failureReason, flow, eci, methods } }: Session) => ({
  phase,
  failureReason,
  flow,
  eci,
  methods,
})

test("no sequence of events violates the state table, reverses a decision, or succeeds without the issuer", () => {
  fc.assert(
    fc.property(sessions, fc.array(events, { maxLength: 25 }), (session, history) => {
      let current = session
      for (const event of history) {
        const next = afterSessionEvent(current, event)
        const [from, to] = [current.progress.phase, next.progress.phase]
        if (to !== from) expect(NEXT_PHASES[from]).toContain(to)
        if (to === "success" && from !== "success") expect(isProof(event)).toBe(true)
        if (isDecided(current)) expect(outcomeOf(next)).toEqual(outcomeOf(current))
        if (to === "challenge" || isDecided(next)) {
          expect({ number: next.number, browser: next.progress.browser }).toEqual({
            number: null,
            browser: null,
          })
        }
        expect(next.progress.failureReason !== null).toBe(to === "failure")
        expect(next.progress.flow !== null).toBe(to === "success")
        // Applied twice in a row, it has no second effect.
        if (to === from || isDecided(next)) expect(afterSessionEvent(next, event)).toEqual(next)
        current = next
      }
    }),
    { numRuns: 500 },
  )
})

test("stored messages contain no proof of authentication", () => {
  fc.assert(
    fc.property(sessions, fc.array(events, { maxLength: 25 }), (session, history) => {
      const after = history.reduce(afterSessionEvent, session)
      expect(JSON.stringify(after)).not.toContain(Buffer.from("marker-of-cryptogram").toString("base64"))
    }),
  )
})

const at = <Event extends object>(event: Event, afterMs = 0) => ({ ...event, atMs: NOW_MS + afterMs })
const begun = () =>
  afterSessionEvent(sampleSession(), at({ type: "browser-known", browser: BROWSER, frame: null } as const))
const challenged = () => afterSessionEvent(begun(), at({ type: "answered", ares: sampleARes("C") } as const))

describe("a 3-D Secure session", () => {
  test.each([
    ["Y", "success", "frictionless", "05"],
    ["A", "success", "attempt", "06"],
    ["I", "success", "frictionless", "07"],
    ["N", "failure", null, null],
    ["U", "failure", null, null],
    ["R", "failure", null, null],
    ["D", "failure", null, null],
    ["C", "challenge", null, null],
  ] as const)("answered with %s ends in %s", (status, phase, flow, eci) => {
    const session = afterSessionEvent(begun(), at({ type: "answered", ares: sampleARes(status) } as const))
    expect(session.progress).toMatchObject({ phase, flow, eci })
  })

  test.each([
    ["Y", undefined, "success", null],
    ["A", undefined, "success", null],
    ["N", undefined, "failure", "failed-authentication"],
    ["N", "01", "failure", "cancelled"],
    ["N", "04", "failure", "authentication-timed-out"],
    ["Y", "01", "failure", "cancelled"],
  ] as const)(
    "whose challenge results in %s, cancelled by %s, ends in %s",
    (status, cancel, phase, failureReason) => {
      const event = at({ type: "results", rreq: sampleRReq(status, cancel), rres: RRES } as const)
      expect(afterSessionEvent(challenged(), event).progress).toMatchObject({ phase, failureReason })
    },
  )

  test("expires ten minutes after it was created, and a challenge ten minutes after it started", () => {
    const expire = (session: Session, afterMs: number) =>
      afterSessionEvent(session, at({ type: "expired" } as const, afterMs)).progress.phase
    expect(expire(sampleSession(), SESSION_MS - 1)).toBe("browser")
    expect(expire(sampleSession(), SESSION_MS)).toBe("failure")
    const late = afterSessionEvent(begun(), at({ type: "answered", ares: sampleARes("C") } as const, 60_000))
    expect(expire(late, SESSION_MS + 59_999)).toBe("challenge")
    expect(expire(late, SESSION_MS + 60_000)).toBe("failure")
  })

  test("is still in its challenge when a browser claims success", () => {
    const session = afterSessionEvent(challenged(), at({ type: "returned", cres: sampleCRes("Y") } as const))
    expect(session.progress).toMatchObject({ phase: "challenge", cres: { transStatus: "Y" } })
  })

  test("keeps its messages when a browser returns from a challenge that nobody requested", () => {
    const answered = afterSessionEvent(begun(), at({ type: "answered", ares: sampleARes("Y") } as const))
    const returned = afterSessionEvent(answered, at({ type: "returned", cres: sampleCRes("N") } as const))
    expect(returned.progress).toMatchObject({ phase: "success", flow: "frictionless", cres: null })
    expect(returned.progress.messages).toEqual(answered.progress.messages)
  })

  test("initiated by the merchant fails when the issuer requests a challenge", () => {
    const session = sampleSession({ initiator: { type: "merchant", reason: "recurring" } })
    const answered = afterSessionEvent(session, at({ type: "answered", ares: sampleARes("C") } as const))
    expect(answered.progress).toMatchObject({ phase: "failure", failureReason: "protocol-error" })
  })
})

test.each([
  [{ transStatusReason: "05" }, "invalid-card-details"],
  [{ transStatusReason: "08" }, "no-card-record"],
  [{ transStatusReason: "11" }, "suspected-fraud"],
  [{ transStatusReason: "12" }, "transaction-not-permitted"],
  [{ transStatusReason: "13" }, "card-not-enrolled"],
  [{ transStatusReason: "14" }, "authentication-timed-out"],
  [{ transStatusReason: "22" }, "acs-unavailable"],
  [{ transStatus: "U" }, "transient-system-failure"],
  [{ transStatus: "N", transStatusReason: "80" }, "failed-authentication"],
  [{}, "failed-authentication"],
])("fails, when a network answers %j, with %s", (refusal, reason) => {
  expect(failureReasonOf(refusal)).toBe(reason)
})

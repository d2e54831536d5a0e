import { TEST_APP } from "@sealway/accounts/testing"
import { ApiError } from "@sealway/kernel"
import { dyingWhen } from "@sealway/ports/testing"
import { encodeMessage } from "@sealway/three-d-secure"
import fc from "fast-check"
import { expect, test } from "vitest"
import type { BrowserRequest } from "../browser/browser-request.ts"
import { showBrowserSession } from "../browser/show-browser-session.ts"
import { requireBrowserSession, takeBrowserStep, takeChallengeResponse } from "../browser/take-part.ts"
import { isDecided, SESSION_MS } from "../record/session.ts"
import { sessionSchema } from "../record/session-schema.ts"
import { showMessages, type showSession } from "../record/show-session.ts"
import { BROWSER, CRYPTOGRAM, sampleCRes, sampleRReq, TRANSACTION } from "../testing/messages.ts"
import {
  createSessionWorld,
  ID,
  type NetworkStatus,
  type SessionWorld,
  WORK,
} from "../testing/session-world.ts"
import { answerSession, requireSession } from "./read-session.ts"
import { receiveResults } from "./receive-results.ts"
import { requeueSessions, workSession } from "./work-sessions.ts"

const { acceptHeader, acceptLanguage, userAgent, ip, ...facts } = BROWSER
const HEADERS = { acceptHeader, acceptLanguage, userAgent, ip }

const cres = fc.oneof(
  fc.constantFrom("Y", "N").map((status) => encodeMessage(JSON.stringify(sampleCRes(status)))),
  fc.constantFrom("", "e30", "%%%", encodeMessage(JSON.stringify(sampleRReq("Y")))),
)
const step: fc.Arbitrary<BrowserRequest> = fc.oneof(
  fc.constant({ frame: { width: 500, height: 600 }, browser: facts }),
  fc.constantFrom("complete", "timeout").map((browserFingerprint) => ({ browserFingerprint }) as const),
  fc.record({ outcome: fc.constant("success" as const), cres: fc.oneof(cres, fc.constant(null)) }),
  fc.constantFrom("failure", "cancelled", "aborted-on-challenge").map((outcome) => ({ outcome }) as const),
)
/** Changes that make results invalid for this challenge. */
const DISTORTIONS = [
  { dsTransID: TRANSACTION },
  { acsTransID: TRANSACTION },
  { messageVersion: "2.3.1" },
  { messageType: "ARes" },
  { transStatus: "C" },
  { interactionCounter: "" },
] as const
const told = (rreq: ReturnType<typeof sampleRReq>, distortion: object = {}) =>
  ({ type: "results", rreq, distortion }) as const
const results = fc.oneof(
  fc.constantFrom("Y", "A").map((status) => told(sampleRReq(status))),
  fc.constantFrom("N", "U", "R").map((status) => told(sampleRReq(status))),
  fc.constantFrom("01", "05").map((cancel) => told(sampleRReq("Y", cancel))),
  fc.constantFrom(...DISTORTIONS).map((distortion) => told(sampleRReq("Y"), distortion)),
)

/** A challenge that the issuer reports as passed. */
const PASSED = {
  ...({ answer: "C", methodUrl: null, obstacle: null, isBegun: true } as const),
  moments: [{ actions: [told(sampleRReq("Y"))], diesAfter: null }],
}

type Action =
  | { readonly type: "browser"; readonly body: BrowserRequest }
  | { readonly type: "notification"; readonly cres: string }
  | { readonly type: "results"; readonly rreq: ReturnType<typeof sampleRReq>; readonly distortion: object }
  | { readonly type: "time"; readonly byMs: number }
  | { readonly type: "look" | "work" | "requeue" }

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: step.map((body) => ({ type: "browser", body }) as const) },
  { weight: 2, arbitrary: cres.map((text) => ({ type: "notification", cres: text }) as const) },
  { weight: 4, arbitrary: results },
  fc.constantFrom(1, 1_000, 31_000, SESSION_MS).map((byMs) => ({ type: "time", byMs }) as const),
  fc.constantFrom("look", "work", "requeue").map((type) => ({ type })),
)
/** Concurrent actions, and after how many external calls the process dies. */
const moment = fc.record({
  actions: fc.array(action, { minLength: 1, maxLength: 3 }),
  diesAfter: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(20) }),
})
const history = fc.record({
  answer: fc.oneof(
    { weight: 3, arbitrary: fc.constant<NetworkStatus>("C") },
    fc.constantFrom<NetworkStatus>("Y", "A", "I", "N", "U", "R", "D", "silence"),
  ),
  methodUrl: fc.constantFrom(null, "https://acs.example.com/method"),
  obstacle: fc.constantFrom(...Array<null>(7).fill(null), "card-not-enrolled" as const),
  // Most browsers take the first steps in order, so that most histories reach the challenge.
  isBegun: fc.oneof(
    { weight: 3, arbitrary: fc.constant(true) },
    { weight: 1, arbitrary: fc.constant(false) },
  ),
  moments: fc.array(moment, { maxLength: 6 }),
})
const BEGIN = [
  { actions: [{ type: "browser", body: { browser: facts } }], diesAfter: null },
  { actions: [{ type: "browser", body: { browserFingerprint: "complete" } }], diesAfter: null },
] as const

function act({ dependencies, advance }: SessionWorld, doing: Action): Promise<unknown> {
  switch (doing.type) {
    case "browser":
      return requireBrowserSession(dependencies, TEST_APP, ID).then((session) =>
        takeBrowserStep(dependencies, TEST_APP, session, doing.body, HEADERS),
      )
    case "notification":
      return requireSession(dependencies, TEST_APP, ID).then((session) =>
        takeChallengeResponse(dependencies, TEST_APP, session, doing.cres),
      )
    case "results":
      return receiveResults(dependencies, TEST_APP, { ...doing.rreq, ...doing.distortion })
    case "time":
      advance(doing.byMs)
      return Promise.resolve()
    case "look":
      return requireBrowserSession(dependencies, TEST_APP, ID)
    case "work":
      return workSession(dependencies, WORK)
    case "requeue":
      return requeueSessions(dependencies, { overdueMs: 1 })
  }
}

/** Whether the issuer truly reports with this that the cardholder is authenticated. */
const isProof = (doing: Action): boolean =>
  doing.type === "results" &&
  Object.keys(doing.distortion).length === 0 &&
  doing.rreq.challengeCancel === undefined &&
  ["Y", "A"].includes(doing.rreq.transStatus ?? "")

function decisionOf(shown: ReturnType<typeof showSession>): object | null {
  if (shown.status === "failure") return { failureReason: shown.failureReason }
  return shown.status === "success" ? { authentication: shown.authentication, eci: shown.eci } : null
}

test("no history of calls, posts, messages, time and crashes violates the contract, or succeeds without the issuer", {
  timeout: 60_000,
}, async () => {
  const ends = new Set<string>()
  await fc.assert(
    fc.asyncProperty(history, async ({ answer, methodUrl, obstacle, isBegun, moments }) => {
      let callsLeft: number | null = null
      const world = await createSessionWorld(answer, {
        explored: dyingWhen(() => callsLeft !== null && callsLeft-- === 0),
        details: { methodUrl, obstacle },
      })
      let isProven = false
      let decision: object | null = null

      const check = async () => {
        const session = await world.find()
        const shown = await answerSession(world.dependencies, TEST_APP, session)
        const { status } = shown
        const schema = sessionSchema.unwrap().options.find(({ shape }) => shape.status.value === status)
        expect(schema?.strict().parse(shown)).toEqual(shown)
        if (status === "action-required") expect(shown.nextAction).toBeDefined()
        const isSaid = world.asked.length > 0 && ["Y", "A", "I"].includes(answer)
        if (status === "success") expect(isSaid || isProven).toBe(true)
        const seen = decisionOf(shown)
        if (decision !== null) expect(seen).toEqual(decision)
        if (isDecided(session)) decision = seen
        expect(seen === null).toBe(!isDecided(session))
        // A browser sees the same, and never the proof of authentication.
        const told = showBrowserSession(session)
        expect(told.status).toBe(status)
        const { messages } = showMessages(session)
        expect(JSON.stringify([told, messages, { ...shown, cryptogram: null }])).not.toContain(CRYPTOGRAM)
        expect(JSON.stringify([told, messages, shown])).not.toContain("4242424242424242")
        return status
      }

      for (const { actions, diesAfter } of [...(isBegun ? BEGIN : []), ...moments]) {
        isProven ||= actions.some(isProof)
        const doAll = async () => {
          const results = await Promise.allSettled(actions.map((each) => act(world, each)))
          const errors = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []))
          if (diesAfter === null) for (const error of errors) expect(error).toBeInstanceOf(ApiError)
        }
        callsLeft = diesAfter
        await world.mortal(doAll)
        callsLeft = null
        await check()
      }
      // Time and the worker end whatever is open, and publish it once.
      for (let round = 0; round < 2; round++) {
        world.advance(2 * SESSION_MS)
        await requeueSessions(world.dependencies, { overdueMs: 1 })
        await workSession(world.dependencies, WORK)
      }
      const status = await check()
      const { progress } = await world.find()
      ends.add([status, progress.flow].join(" "))
      expect(status).not.toBe("action-required")
      expect(new Set(world.published.map(({ id, type }) => `${id} ${type}`)).size).toBe(1)
      expect(world.published[0]?.type).toBe(`payments.3ds-session.${status}`)
      expect(world.pending()).toEqual([])
    }),
    { numRuns: 100, examples: [[PASSED]] },
  )
  expect([...ends]).toEqual(expect.arrayContaining(["success challenge", "failure "]))
})

import { TEST_APP } from "@sealway/accounts/testing"
import { InvalidRequestError } from "@sealway/kernel"
import { exploreHistories } from "@sealway/ports/testing"
import type { NewEvent } from "@sealway/records"
import { encodeMessage } from "@sealway/three-d-secure"
import { describe, expect, test } from "vitest"
import type { BrowserRequest } from "../browser/browser-request.ts"
import { requireBrowserSession, takeBrowserStep, takeChallengeResponse } from "../browser/take-part.ts"
import { findCryptogram } from "../record/cryptogram-table.ts"
import { SESSION_MS } from "../record/session.ts"
import {
  ACS_TRANSACTION,
  BROWSER,
  CRYPTOGRAM,
  DS_TRANSACTION,
  NOW_MS,
  sampleCRes,
  sampleRReq,
} from "../testing/messages.ts"
import { createSessionWorld, ID, type SessionWorld, WORK } from "../testing/session-world.ts"
import { answerSession, requireSession } from "./read-session.ts"
import { receiveResults } from "./receive-results.ts"
import { requeueSessions, workSession } from "./work-sessions.ts"

const eventIds = (published: readonly NewEvent[]) => new Set(published.map(({ id }) => id))

describe("a session whose process dies", () => {
  test("while its network is asked succeeds with the next process, which asks the same, and is published once", async () => {
    await exploreHistories(async (explored) => {
      const world = await createSessionWorld("Y", { explored })
      explored.begin()
      await world.mortal(world.begin)
      // The asking process counts as dead.
      world.advance(31_000)
      await world.begin()
      await workSession(world.dependencies, WORK)
      const { progress, untoldEvent } = await world.find()
      expect({ phase: progress.phase, untoldEvent }).toEqual({ phase: "success", untoldEvent: null })
      expect(await findCryptogram(world.dependencies, TEST_APP, ID)).toBe(CRYPTOGRAM)
      expect(eventIds(world.published).size).toBe(1)
      for (const areq of world.asked) expect(areq).toEqual(world.asked[0])
      expect(world.pending()).toEqual([])
    })
  })

  test("while results arrive is decided when they arrive again, or does not change", async () => {
    await exploreHistories(async (explored) => {
      const world = await createSessionWorld("C", { explored })
      await world.begin()
      const results = () => receiveResults(world.dependencies, TEST_APP, { ...sampleRReq("Y") })
      explored.begin()
      await world.mortal(results)
      expect(["challenge", "success"]).toContain((await world.find()).progress.phase)
      expect(await results()).toMatchObject({ messageType: "RRes", resultsStatus: "01" })
      const { progress } = await world.find()
      expect(progress).toMatchObject({
        phase: "success",
        acsTransID: ACS_TRANSACTION,
        dsTransID: DS_TRANSACTION,
      })
      expect(progress.messages.map(({ type }) => type)).toEqual(["AReq", "ARes", "CReq", "RReq", "RRes"])
      expect(eventIds(world.published).size).toBe(1)
    })
  })
})

const METHOD_URL = "https://acs.example.com/method"
const { acceptHeader, acceptLanguage, userAgent, ip, ...FACTS } = BROWSER
const HEADERS = { acceptHeader, acceptLanguage, userAgent, ip }

/** Takes a step as a browser does. A finished one is refused. */
async function take({ dependencies }: SessionWorld, body: BrowserRequest): Promise<void> {
  const session = await requireBrowserSession(dependencies, TEST_APP, ID)
  await takeBrowserStep(dependencies, TEST_APP, session, body, HEADERS).catch((error: unknown) => {
    if (!(error instanceof InvalidRequestError)) throw error
  })
}
async function bringBack({ dependencies }: SessionWorld): Promise<void> {
  const cres = encodeMessage(JSON.stringify(sampleCRes("Y")))
  await takeChallengeResponse(dependencies, TEST_APP, await requireSession(dependencies, TEST_APP, ID), cres)
}

describe("when a process dies at any one call", () => {
  test.each<{
    title: string
    answer: "Y" | "C"
    methodUrl?: string
    before?: (world: SessionWorld) => Promise<unknown>
    act: (world: SessionWorld) => Promise<unknown>
    phase: string
  }>([
    {
      title: "while it notes what the browser is",
      answer: "C",
      methodUrl: METHOD_URL,
      phase: "fingerprint",
      act: (world) => take(world, { browser: FACTS }),
    },
    {
      title: "while it notes the fingerprint and asks the network",
      answer: "Y",
      methodUrl: METHOD_URL,
      phase: "success",
      before: (world) => take(world, { browser: FACTS }),
      act: (world) => take(world, { browserFingerprint: "complete" }),
    },
    {
      title: "while the browser brings a challenge back",
      answer: "C",
      phase: "challenge",
      before: (world) => world.begin(),
      act: bringBack,
    },
    {
      title: "while the page gives the session up",
      answer: "C",
      phase: "failure",
      before: (world) => world.begin(),
      act: (world) => take(world, { outcome: "cancelled" }),
    },
    {
      title: "while a worker fails what has taken too long",
      answer: "C",
      phase: "failure",
      before: async (world) => {
        await world.begin()
        world.advance(SESSION_MS)
      },
      act: ({ dependencies }) => workSession(dependencies, WORK),
    },
  ])("$title loses and duplicates nothing", async ({ answer, methodUrl = null, before, act, phase }) => {
    await exploreHistories(async (explored) => {
      const world = await createSessionWorld(answer, { explored, details: { methodUrl } })
      await before?.(world)
      explored.begin()
      await world.mortal(() => act(world))
      // The process that asked the network counts as dead.
      world.advance(31_000)
      await act(world)
      await workSession(world.dependencies, WORK)
      const { progress, untoldEvent } = await world.find()
      expect({ phase: progress.phase, untoldEvent }).toEqual({ phase, untoldEvent: null })
      const types = progress.messages.map(({ type }) => type)
      expect(types).toEqual([...new Set(types)])
      const isOver = phase === "success" || phase === "failure"
      expect(eventIds(world.published).size).toBe(isOver ? 1 : 0)
      expect(world.pending()).toHaveLength(isOver ? 0 : 1)
      expect((await findCryptogram(world.dependencies, TEST_APP, ID)) !== null).toBe(phase === "success")
    })
  })
})

describe("the results of a failed session", () => {
  const results = ({ dependencies }: SessionWorld, ...told: Parameters<typeof sampleRReq>) =>
    receiveResults(dependencies, TEST_APP, { ...sampleRReq(...told) })

  test.each([
    ["cancelled", "cancelled", "01"],
    ["failure", "failed-authentication", "01"],
    ["aborted-on-challenge", "challenge-required", "02"],
  ] as const)(
    "by %s are recorded and acknowledged, with the status that says whether the cardholder was sent to the issuer",
    async (outcome, failureReason, resultsStatus) => {
      const world = await createSessionWorld("C")
      await world.begin()
      await take(world, { outcome })
      const answer = await results(world, "Y")
      expect(answer).toEqual({
        messageType: "RRes",
        messageVersion: "2.2.0",
        resultsStatus,
        threeDSServerTransID: expect.any(String),
        dsTransID: DS_TRANSACTION,
        acsTransID: ACS_TRANSACTION,
      })
      expect(await results(world, "N", "01")).toEqual(answer)
      const { progress } = await world.find()
      expect(progress).toMatchObject({ phase: "failure", failureReason, rreq: { transStatus: "Y" } })
      expect(progress.messages.map(({ type }) => type)).toEqual(["AReq", "ARes", "CReq", "RReq", "RRes"])
      expect(await findCryptogram(world.dependencies, TEST_APP, ID)).toBeNull()
      expect(eventIds(world.published).size).toBe(1)
    },
  )

  test("that failed while the network was asked are acknowledged for a challenge to which nobody was sent", async () => {
    const world: SessionWorld = await createSessionWorld("C", {
      whileAsked: () => take(world, { outcome: "cancelled" }),
    })
    await world.begin()
    const { progress } = await world.find()
    expect(progress).toMatchObject({
      phase: "failure",
      failureReason: "cancelled",
      acsUrl: null,
      ares: { transStatus: "C" },
      acsTransID: ACS_TRANSACTION,
    })
    expect(await results(world, "N", "05")).toMatchObject({ messageType: "RRes", resultsStatus: "02" })
    const wrong = { ...sampleRReq("N", "05"), acsTransID: DS_TRANSACTION }
    expect(await receiveResults(world.dependencies, TEST_APP, wrong)).toMatchObject({ errorCode: "301" })
  })

  test("whose request was never answered are acknowledged as those of an undelivered ARes", async () => {
    const world = await createSessionWorld("silence")
    await world.begin()
    expect(await results(world, "N", "05")).toMatchObject({ messageType: "RRes", resultsStatus: "03" })
    expect((await world.find()).progress).toMatchObject({
      phase: "failure",
      failureReason: "directory-server-unavailable",
      rreq: { transStatus: "N" },
    })
  })

  test("that was never requested, or was refused without a challenge, belong to no transaction", async () => {
    const left = await createSessionWorld("C")
    await take(left, { outcome: "cancelled" })
    expect(await results(left, "Y")).toMatchObject({ messageType: "Erro", errorCode: "301" })
    const refused = await createSessionWorld("N")
    await refused.begin()
    expect(await results(refused, "Y")).toMatchObject({ messageType: "Erro", errorCode: "301" })
    expect((await refused.find()).progress).toMatchObject({ phase: "failure", rreq: null })
  })
})

describe("an abandoned session", () => {
  test("is failed by the worker after ten minutes, and published once, even if its message is lost", async () => {
    const world = await createSessionWorld("C")
    await world.begin()
    await workSession(world.dependencies, WORK)
    expect((await world.find()).progress.phase).toBe("challenge")
    world.advance(SESSION_MS)
    world.sent.length = 0
    await requeueSessions(world.dependencies, { overdueMs: 1 })
    expect(world.sent).toEqual([])
    world.advance(1)
    await requeueSessions(world.dependencies, { overdueMs: 1 })
    expect(world.sent).toEqual([WORK])
    await workSession(world.dependencies, WORK)
    await workSession(world.dependencies, WORK)
    expect((await world.find()).progress.failureReason).toBe("authentication-timed-out")
    expect(world.published.map(({ type }) => type)).toEqual(["payments.3ds-session.failure"])
    expect(world.pending()).toEqual([])
    expect(await receiveResults(world.dependencies, TEST_APP, { ...sampleRReq("Y") })).toMatchObject({
      messageType: "RRes",
    })
    expect((await world.find()).progress.phase).toBe("failure")
  })
})

test("returns a cryptogram for an hour, and includes it in an event for only as long", async () => {
  const world = await createSessionWorld("Y")
  await world.begin()
  const answer = async () =>
    answerSession(world.dependencies, TEST_APP, await requireSession(world.dependencies, TEST_APP, ID))
  expect(await answer()).toMatchObject({ cryptogram: CRYPTOGRAM })
  const [event] = world.published
  if (event?.brief === undefined) throw new Error("The event tells no cryptogram")
  expect(event.brief.untilMs).toBe(NOW_MS + 3_600_000)
  expect(await world.dataOf(event)).not.toContain(CRYPTOGRAM)
  expect(await world.dataOf({ ...event, data: event.brief.data })).toContain(CRYPTOGRAM)
  world.advance(3_600_000)
  expect(Object.keys(await answer())).not.toContain("cryptogram")
})

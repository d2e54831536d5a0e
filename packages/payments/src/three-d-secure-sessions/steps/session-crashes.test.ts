import { type App, type NewEvent, openEventData, RANDOM_DRAWS, SealedEventData } from "@sealway/platform"
import { createMemoryTable, createTestKeyring, TEST_APP } from "@sealway/platform/testing"
import { describe, expect, test } from "vitest"
import type { AReq } from "../../three-d-secure/messages/areq.ts"
import { findCryptogram } from "../record/cryptogram-table.ts"
import { namePendingSession } from "../record/pending-sessions.ts"
import { newSession, SESSION_MS } from "../record/session.ts"
import type { SessionDependencies } from "../record/session-dependencies.ts"
import { createSession, findSession } from "../record/session-table.ts"
import {
  ACS_TRANSACTION,
  BROWSER,
  CRYPTOGRAM,
  DETAILS,
  DS_TRANSACTION,
  NOW_MS,
  sampleARes,
  sampleRReq,
  TRANSACTION,
} from "../testing/messages.ts"
import { changeSession } from "./change-session.ts"
import { answerSession, requireSession } from "./read-session.ts"
import { receiveResults } from "./receive-results.ts"
import { requeueSessions, workSession } from "./work-sessions.ts"

const ID = "tds_00000000000000000000000001"
const WORK = { type: "3ds-session", appId: TEST_APP.id, id: ID } as const

/** A session in a process that can die at any of its calls to the outside. @param status how the network answers */
async function createWorld(status: "Y" | "C") {
  let nowMs = NOW_MS
  let callsLeft = Number.POSITIVE_INFINITY
  let isDead = false
  const call = () => {
    if (callsLeft-- <= 0) isDead = true
    if (isDead) throw new Error("The process is dead")
  }
  const table = createMemoryTable({ beforeCall: call, afterCall: call, wallClock: () => nowMs })
  const keyring = createTestKeyring()
  await keyring.addVersion(TEST_APP)
  const asked: AReq[] = []
  const published: NewEvent[] = []
  const sent: object[] = []
  const dependencies: SessionDependencies = {
    paymentsTable: table,
    keyring,
    directory: { app: async (): Promise<App> => TEST_APP },
    draws: RANDOM_DRAWS,
    log: { warn: () => undefined },
    wallClock: () => nowMs,
    queues: { send: async (_, message) => void sent.push(message) },
    events: {
      async publish(event) {
        call()
        published.push(event)
        call()
      },
    },
    cardNetworkOf: () => ({
      threeDSRange: () => Promise.reject(new Error("It is known")),
      async authenticate({ areq }) {
        call()
        asked.push(areq)
        call()
        return { message: { ...sampleARes(status) } }
      },
    }),
  }
  const given = { id: ID, appId: TEST_APP.id, transactionId: TRANSACTION, number: "4242424242424242" }
  await namePendingSession(table, WORK, NOW_MS + SESSION_MS)
  await createSession(
    dependencies,
    TEST_APP,
    newSession({ ...given, pageToken: "x", details: DETAILS }, NOW_MS),
  )

  const find = async () => {
    const found = await findSession(dependencies, TEST_APP, ID)
    if (found === null) throw new Error("The session is gone")
    return found
  }
  return {
    dependencies,
    asked,
    published,
    sent,
    find,
    pending: () => [...table.items.keys()].filter((key) => key.startsWith("3ds-pending#")),
    advance: (byMs: number) => {
      nowMs += byMs
    },
    /** Does something in a process that dies after so many calls. @returns whether it lived */
    async mortal(calls: number, act: () => Promise<unknown>): Promise<boolean> {
      callsLeft = calls
      const isAlive = await act().then(
        () => true,
        () => false,
      )
      callsLeft = Number.POSITIVE_INFINITY
      isDead = false
      return isAlive
    },
    begin: async () => {
      const event = { type: "browser-known", browser: BROWSER, frame: null, atMs: nowMs } as const
      return changeSession(dependencies, TEST_APP, await find(), { event })
    },
    dataOf: async ({ id = "", data }: NewEvent) => {
      if (!(data instanceof SealedEventData)) throw new Error("An event is not sealed")
      return openEventData(keyring, TEST_APP, id, data)
    },
  }
}

const MAX_CALLS = 40
const eventIds = (published: readonly NewEvent[]) => new Set(published.map(({ id }) => id))

describe("a session whose process dies", () => {
  test("while its network is asked succeeds by whoever comes next, asked the same and told once", async () => {
    for (let calls = 0; calls < MAX_CALLS; calls++) {
      const world = await createWorld("Y")
      const isAlive = await world.mortal(calls, world.begin)
      // Whoever asked is taken for dead.
      world.advance(31_000)
      await world.begin()
      await workSession(world.dependencies, WORK)
      const { progress, untoldEvent } = await world.find()
      expect({ calls, phase: progress.phase, untoldEvent }).toEqual({
        calls,
        phase: "success",
        untoldEvent: null,
      })
      expect(await findCryptogram(world.dependencies, TEST_APP, ID)).toBe(CRYPTOGRAM)
      expect(eventIds(world.published).size).toBe(1)
      for (const areq of world.asked) expect(areq).toEqual(world.asked[0])
      expect(world.pending()).toEqual([])
      if (isAlive) return
    }
    throw new Error("It never lives")
  })

  test("while results come in is decided by the results when they come again, or stays as it was", async () => {
    for (let calls = 0; calls < MAX_CALLS; calls++) {
      const world = await createWorld("C")
      await world.begin()
      const results = () => receiveResults(world.dependencies, TEST_APP, { ...sampleRReq("Y") })
      const isAlive = await world.mortal(calls, results)
      expect(["challenge", "success"]).toContain((await world.find()).progress.phase)
      expect(await results()).toMatchObject({ messageType: "RRes", resultsStatus: "01" })
      const { progress } = await world.find()
      expect(progress).toMatchObject({
        phase: "success",
        acsTransID: ACS_TRANSACTION,
        dsTransID: DS_TRANSACTION,
      })
      expect(progress.messages.map(({ type }) => type)).toEqual(["AReq", "ARes", "RReq", "RRes"])
      expect(eventIds(world.published).size).toBe(1)
      if (isAlive) return
    }
    throw new Error("It never lives")
  })
})

describe("a session that nobody ends", () => {
  test("is failed after ten minutes by the worker, and told of once, though its message is lost", async () => {
    const world = await createWorld("C")
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

test("a cryptogram is answered for an hour, and stands in an event for as long only", async () => {
  const world = await createWorld("Y")
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

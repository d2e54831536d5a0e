import type { App } from "@sealway/accounts"
import { TEST_APP } from "@sealway/accounts/testing"
import { createTestKeyring } from "@sealway/keys/testing"
import { type Explored, SimulatedService, WRITE } from "@sealway/ports/testing"
import { type NewEvent, openEventData, SealedEventData } from "@sealway/records"
import type { AReq } from "@sealway/three-d-secure"
import { namePendingSession } from "../record/pending-sessions.ts"
import { newSession, SESSION_MS, type SessionDetails } from "../record/session.ts"
import type { SessionDependencies } from "../record/session-dependencies.ts"
import { createSession, findSession } from "../record/session-table.ts"
import { changeSession } from "../steps/change-session.ts"
import { BROWSER, DETAILS, NOW_MS, sampleARes, TRANSACTION } from "./messages.ts"

export const ID = "tds_00000000000000000000000001"
export const WORK = { type: "3ds-session", appId: TEST_APP.id, id: ID } as const

/** How the network answers; `silence`: not at all. */
export type NetworkStatus = Parameters<typeof sampleARes>[0] | "silence"

export interface WorldOptions {
  /** What happens to what may die. Default: nothing. */
  readonly explored?: Explored
  readonly details?: Partial<SessionDetails>
  /** Runs while the network is asked, before it answers. */
  readonly whileAsked?: () => Promise<unknown>
}

export type SessionWorld = Awaited<ReturnType<typeof createSessionWorld>>

/** Creates a session whose requests can die at any of their calls to the outside. */
export async function createSessionWorld(
  status: NetworkStatus,
  { explored, details = {}, whileAsked = async () => undefined }: WorldOptions = {},
) {
  const simulated = new SimulatedService({ explored })
  simulated.pass(NOW_MS - simulated.nowMs)
  const table = simulated.createTable("payments")
  const keyring = createTestKeyring()
  await keyring.addVersion(TEST_APP)
  const asked: AReq[] = []
  const published: NewEvent[] = []
  const sent: object[] = []
  const dependencies: SessionDependencies = {
    paymentsTable: table,
    keyring,
    directory: { app: async (): Promise<App> => TEST_APP },
    draws: simulated.draws,
    log: { warn: () => undefined },
    wallClock: () => simulated.nowMs,
    queues: { send: async (_, message) => void sent.push(message) },
    events: {
      publish: (event) =>
        simulated.reach({ text: `publish ${event.type}`, access: null, faults: WRITE }, () => {
          published.push(event)
        }),
    },
    cardNetworkOf: () => ({
      threeDSRange: () => Promise.reject(new Error("It is known")),
      async authenticate({ areq }) {
        await simulated.ask("network.authenticate", () => asked.push(areq))
        await whileAsked()
        if (status === "silence") throw new Error("The network does not answer")
        return { message: { ...sampleARes(status) } }
      },
    }),
  }
  const given = { id: ID, appId: TEST_APP.id, transactionId: TRANSACTION, number: "4242424242424242" }
  await namePendingSession(table, WORK, NOW_MS + SESSION_MS)
  await createSession(
    dependencies,
    TEST_APP,
    newSession({ ...given, pageToken: "x", details: { ...DETAILS, ...details } }, NOW_MS),
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
    advance: (byMs: number) => simulated.pass(byMs),
    /** Runs a request, which may die or fail. @returns whether it ended well */
    mortal: (act: () => Promise<unknown>) => simulated.mortal(act),
    begin: async () => {
      const event = { type: "browser-known", browser: BROWSER, frame: null, atMs: simulated.nowMs } as const
      return changeSession(dependencies, TEST_APP, await find(), { event })
    },
    dataOf: async ({ id = "", data }: NewEvent) => {
      if (!(data instanceof SealedEventData)) throw new Error("An event is not sealed")
      return openEventData(keyring, TEST_APP, id, data)
    },
  }
}

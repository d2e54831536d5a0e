import { type App, type NewEvent, openEventData, RANDOM_DRAWS, SealedEventData } from "@sealway/platform"
import {
  createMemoryTable,
  createMortalProcess,
  createTestKeyring,
  SimulatedQueues,
  TEST_APP,
} from "@sealway/platform/testing"
import { matchTestNumber } from "../bins/test-numbers.ts"
import type { EnrolmentDependencies } from "../enrolments/enrolled-kind.ts"
import type { KeepingDependencies } from "../enrolments/keep-enrolled.ts"
import { requeueEnrolments } from "../enrolments/requeue-enrolments.ts"
import type { CardNetwork } from "../networks/card-network.ts"
import type { SubscriptionAnswer } from "../networks/messages/account-updater.ts"
import type { CardStanding } from "../networks/messages/card-updates.ts"
import type { EnrolmentAnswer } from "../networks/messages/enrolment.ts"
import type { TokenStanding } from "../networks/messages/network-token.ts"
import type { AlertAnswer, AnswerAlertRequest } from "../networks/messages/pre-chargeback-alerts.ts"
import type { WatchStanding } from "../networks/messages/retries.ts"
import { createSandboxNetwork } from "../networks/sandbox/create-sandbox-network.ts"
import { createSandboxAccounts } from "../networks/sandbox/sandbox-accounts.ts"
import { createChallenge } from "../networks/sandbox/three-d-secure/challenge-table.ts"
import { createEnrolmentWorker } from "../workers/enrolment-worker.ts"

export const PRODUCTION_APP: App = { ...TEST_APP, id: "app_2", environment: "production" }
export const AUTHOR = {
  actor: { type: "api-key", id: "key_1" },
  ip: "1.1.1.1",
  requestId: "request-1",
} as const

const VISIBILITY_MS = 720_000
const MAX_RECEIVES = 8

export interface WorldOptions {
  /** Called before and after each external call of the worker. Throws where the process must die. */
  readonly crash?: () => void
  /** Whether to deliver a processed message once more. */
  readonly isDuplicated?: () => boolean
  /** Returns how a production app's network answers an enrolment request. Default: active. */
  readonly decide?: (asked: { name: string; asks: number; nowMs: number }) => EnrolmentAnswer
  /** Returns the state of a network token at a production app's network. Default: active. */
  readonly decideToken?: (asked: { asks: number; nowMs: number }) => TokenStanding
  /** Returns the state of a card at a production app's network. Default: active. */
  readonly decideCard?: (asked: { number: string; asks: number; nowMs: number }) => CardStanding
  /** Returns how a production app's network answers a request to subscribe. Default: active. */
  readonly decideSubscription?: (asked: { number: string; asks: number }) => SubscriptionAnswer
  /** Returns the state of a retry watch at a production app's network. Default: it watches. */
  readonly decideWatch?: (asked: { number: string; asks: number; nowMs: number }) => WatchStanding
  /** Returns the result of an alert's answer at a production app's network. Default: it is accepted. */
  readonly decideAnswer?: (asked: AnswerAlertRequest & { asks: number; nowMs: number }) => AlertAnswer
}

/** Creates enrolments with a simulated queue, table, networks and clock, so that days pass instantly. */
export async function createWorld({
  crash = () => undefined,
  isDuplicated = () => false,
  decide = () => ({ status: "active" }),
  decideCard = () => ({ status: "active", automaticUpdates: "enabled" }),
  decideSubscription = () => ({ status: "active" }),
  decideToken = () => ({ status: "active" }),
  decideWatch = () => ({ status: "watching" }),
  decideAnswer = () => ({ result: "taken" }),
}: WorldOptions = {}) {
  /** Only the worker may die, not what the tests prepare and look at. */
  let isMortal = false
  const process = createMortalProcess(() => {
    if (isMortal) crash()
  })
  const { call } = process
  const queues = new SimulatedQueues({
    process: { call, reach: process.reach, live: async (run) => !(await mortal(run)) },
    ...{ isDuplicated, isNewestFirst: true, batchMs: 1 },
    ...{ visibilityMs: VISIBILITY_MS, maxReceives: MAX_RECEIVES },
    workerOf: () => worker,
  })
  const paymentsTable = createMemoryTable({
    beforeCall: call,
    afterCall: call,
    wallClock: () => queues.nowMs,
  })
  const published: { readonly id: string; readonly type: string; readonly data: unknown }[] = []
  const audited: object[] = []
  /** How often the network of a production app was asked, by reference. */
  const asked = new Map<string, number>()
  const withdrawn = new Set<string>()
  const logged: unknown[] = []
  let isUnavailable = false

  const keyring = createTestKeyring()
  for (const app of [TEST_APP, PRODUCTION_APP]) await keyring.addVersion(app)

  const ask = async <Answer>(reference: string, answer: (asks: number) => Answer): Promise<Answer> => {
    call()
    if (isUnavailable) throw new Error("The network does not answer")
    const asks = (asked.get(reference) ?? 0) + 1
    asked.set(reference, asks)
    const answered = answer(asks)
    call()
    return answered
  }
  const enrol = (reference: string, name: string) =>
    ask(reference, (asks) => decide({ name, asks, nowMs: queues.nowMs }))
  const withdraw = async (reference: string) => {
    call()
    if (isUnavailable) throw new Error("The network does not answer")
    withdrawn.add(reference)
    call()
    return { status: "withdrawn" } as const
  }
  const sandbox = createSandboxNetwork({
    ...{ app: TEST_APP, wallClock: () => queues.nowMs },
    accounts: createSandboxAccounts({ paymentsTable, keyring, now: () => queues.nowMs }),
    storeChallenge: (capability, challenge) =>
      createChallenge({ paymentsTable, keyring }, TEST_APP, capability, challenge),
    key: async () => Buffer.alloc(32),
  })
  const production: CardNetwork = {
    ...sandbox,
    enrolMerchant: ({ reference, service }) => enrol(reference, service),
    registerDomain: ({ reference, domain }) => enrol(reference, domain),
    enrolAcquirer: ({ reference, configuration }) => enrol(reference, configuration.network),
    withdrawMerchant: ({ reference }) => withdraw(reference),
    withdrawDomain: ({ reference }) => withdraw(reference),
    withdrawAcquirer: ({ reference }) => withdraw(reference),
    registerCard: ({ reference, number }) =>
      ask(reference, (asks) => decideCard({ number, asks, nowMs: queues.nowMs })),
    tokenStanding: ({ reference }) => ask(reference, (asks) => decideToken({ asks, nowMs: queues.nowMs })),
    subscribeUpdates: ({ reference, number }) =>
      ask(reference, (asks) => decideSubscription({ number, asks })),
    async unsubscribeUpdates({ reference }) {
      await withdraw(reference)
      return { status: "unsubscribed" }
    },
    async deleteToken({ reference }) {
      await withdraw(reference)
      return { status: "deleted" }
    },
    watchRetry: ({ reference, card: { number } }) =>
      ask(reference, (asks) => decideWatch({ number, asks, nowMs: queues.nowMs })),
    async unwatchRetry({ reference }) {
      await withdraw(reference)
      return { status: "unwatched" }
    },
    answerAlert: (request) =>
      ask(request.reference, (asks) => decideAnswer({ ...request, asks, nowMs: queues.nowMs })),
    async deregisterCard({ reference }) {
      await withdraw(reference)
      return { status: "deregistered" }
    },
  }
  const apps = new Map([TEST_APP, PRODUCTION_APP].map((app) => [app.id, app]))
  const dependencies: KeepingDependencies & EnrolmentDependencies = {
    paymentsTable,
    keyring,
    draws: RANDOM_DRAWS,
    directory: { app: async (id) => apps.get(id) ?? null },
    cardNetworkOf: ({ environment }) => (environment === "sandbox" ? sandbox : production),
    requireCardNetwork: async () => undefined,
    binData: { lookUp: (_, digits) => matchTestNumber(digits) },
    wallClock: () => queues.nowMs,
    random: () => 0,
    audit: { record: async (entry) => void audited.push(entry), async *read() {} },
    log: { warn: (...told: unknown[]) => void logged.push(told) },
    events: {
      async publish(event) {
        call()
        published.push({ id: event.id ?? "", type: event.type, data: await dataOf(event) })
        call()
      },
    },
    queues: {
      send(queue, message, options) {
        if (queue !== "enrolments" && queue !== "card-checks") throw new Error("This is another queue")
        return queues.send(queue, message, options)
      },
    },
  }
  const worker = createEnrolmentWorker(dependencies)

  async function dataOf({ id = "", appId, data }: NewEvent): Promise<unknown> {
    const app = apps.get(appId)
    if (app === undefined || !(data instanceof SealedEventData)) throw new Error("An event is not sealed")
    return JSON.parse(await openEventData(keyring, app, id, data))
  }

  /** Runs something that may die, as a process does. @returns whether it survived */
  async function mortal(act: () => Promise<unknown>): Promise<boolean> {
    isMortal = true
    try {
      return !(await process.live(act))
    } finally {
      isMortal = false
    }
  }

  return {
    dependencies,
    paymentsTable,
    messages: queues.messages,
    audited,
    asked,
    withdrawn,
    logged,
    mortal,
    now: () => queues.nowMs,
    advance: (byMs: number) => queues.pass(byMs),
    /** Returns events as receivers see them: events with the same id are one event. */
    events: () => [...new Map(published.map((event) => [event.id, event])).values()],
    published,
    setUnavailable: (is: boolean) => {
      isUnavailable = is
    },
    pending: () => [...paymentsTable.items.keys()].filter((key) => key.startsWith("payments-pending#")),

    /** Returns the keys of all stored items, except the sweeper's position. */
    kept: () => [...paymentsTable.items.keys()].filter((key) => !/^payments-daily[^#]/.test(key)),
    daily: () => [...paymentsTable.items.keys()].filter((key) => /^payments-daily#[0-9]/.test(key)),

    /** Delivers messages as they become visible, newest first, until none is left or the time is over. */
    work: (forMs = 24 * 60 * 60_000) => queues.deliver(forMs),
    /** Loses all messages, like in-memory queues that start empty. */
    async restart() {
      queues.messages.length = 0
      await requeueEnrolments(dependencies, { overdueMs: 0 })
    },
    sweep: (overdueMs: number) => requeueEnrolments(dependencies, { overdueMs }),
  }
}

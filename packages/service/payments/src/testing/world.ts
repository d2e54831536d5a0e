import type { App } from "@sealway/accounts"
import { TEST_APP } from "@sealway/accounts/testing"
import { matchTestNumber } from "@sealway/bins"
import { createTestKeyring } from "@sealway/keys/testing"
import { type Explored, SimulatedService, WRITE } from "@sealway/ports/testing"
import { type NewEvent, openEventData, SealedEventData } from "@sealway/records"
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

export interface WorldOptions {
  /** What happens to workers, and to what may die. Default: nothing. */
  readonly explored?: Explored
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

/** Creates enrolments with a queue and table in memory, networks and a clock, so that days pass instantly. */
export async function createWorld({
  explored,
  decide = () => ({ status: "active" }),
  decideCard = () => ({ status: "active", automaticUpdates: "enabled" }),
  decideSubscription = () => ({ status: "active" }),
  decideToken = () => ({ status: "active" }),
  decideWatch = () => ({ status: "watching" }),
  decideAnswer = () => ({ result: "taken" }),
}: WorldOptions = {}) {
  const simulated = new SimulatedService({ explored, isNewestFirst: true, workerOf: () => worker })
  const { queues } = simulated
  const paymentsTable = simulated.createTable("payments")
  const published: { readonly id: string; readonly type: string; readonly data: unknown }[] = []
  const audited: object[] = []
  /** How often the network of a production app was asked, by reference. */
  const asked = new Map<string, number>()
  const withdrawn = new Set<string>()
  const logged: unknown[] = []
  let isUnavailable = false

  const keyring = createTestKeyring()
  for (const app of [TEST_APP, PRODUCTION_APP]) await keyring.addVersion(app)

  const ask = <Answer>(reference: string, answer: (asks: number) => Answer): Promise<Answer> =>
    simulated.ask(`network.ask ${reference}`, () => {
      if (isUnavailable) throw new Error("The network does not answer")
      const asks = (asked.get(reference) ?? 0) + 1
      asked.set(reference, asks)
      return answer(asks)
    })
  const enrol = (reference: string, name: string) =>
    ask(reference, (asks) => decide({ name, asks, nowMs: simulated.nowMs }))
  const withdraw = (reference: string) =>
    simulated.ask(`network.withdraw ${reference}`, () => {
      if (isUnavailable) throw new Error("The network does not answer")
      withdrawn.add(reference)
      return { status: "withdrawn" } as const
    })
  const sandbox = createSandboxNetwork({
    app: TEST_APP,
    wallClock: () => simulated.nowMs,
    accounts: createSandboxAccounts({ paymentsTable, keyring, now: () => simulated.nowMs }),
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
      ask(reference, (asks) => decideCard({ number, asks, nowMs: simulated.nowMs })),
    tokenStanding: ({ reference }) => ask(reference, (asks) => decideToken({ asks, nowMs: simulated.nowMs })),
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
      ask(reference, (asks) => decideWatch({ number, asks, nowMs: simulated.nowMs })),
    async unwatchRetry({ reference }) {
      await withdraw(reference)
      return { status: "unwatched" }
    },
    answerAlert: (request) =>
      ask(request.reference, (asks) => decideAnswer({ ...request, asks, nowMs: simulated.nowMs })),
    async deregisterCard({ reference }) {
      await withdraw(reference)
      return { status: "deregistered" }
    },
  }
  const apps = new Map([TEST_APP, PRODUCTION_APP].map((app) => [app.id, app]))
  const dependencies: KeepingDependencies & EnrolmentDependencies = {
    paymentsTable,
    keyring,
    draws: simulated.draws,
    directory: { app: async (id) => apps.get(id) ?? null },
    cardNetworkOf: ({ environment }) => (environment === "sandbox" ? sandbox : production),
    requireCardNetwork: async () => undefined,
    binData: { lookUp: (_, digits) => matchTestNumber(digits) },
    wallClock: () => simulated.nowMs,
    random: () => 0,
    audit: { record: async (entry) => void audited.push(entry), async *read() {} },
    log: { warn: (...told: unknown[]) => void logged.push(told) },
    events: {
      async publish(event) {
        const data = await dataOf(event)
        await simulated.reach({ text: `publish ${event.type}`, access: null, faults: WRITE }, () => {
          published.push({ id: event.id ?? "", type: event.type, data })
        })
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

  return {
    dependencies,
    paymentsTable,
    get messages() {
      return simulated.messages
    },
    loseMessages: () => simulated.loseMessages(),
    audited,
    asked,
    withdrawn,
    logged,
    /** Runs a request, which may die or fail. @returns whether it ended well */
    mortal: (act: () => Promise<unknown>) => simulated.mortal(act),
    now: () => simulated.nowMs,
    advance: (byMs: number) => simulated.pass(byMs),
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
    work: (forMs = 24 * 60 * 60_000) => simulated.work(forMs),
    /** Loses all messages, like in-memory queues that start empty. */
    async restart() {
      simulated.loseMessages()
      await requeueEnrolments(dependencies, { overdueMs: 0 })
    },
    sweep: (overdueMs: number) => requeueEnrolments(dependencies, { overdueMs }),
  }
}

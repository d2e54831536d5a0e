import type { App } from "@sealway/accounts"
import { TEST_APP as APP } from "@sealway/accounts/testing"
import { createTestKeyring } from "@sealway/keys/testing"
import type { Decision } from "@sealway/policies"
import { type Explored, SimulatedService, WRITE } from "@sealway/ports/testing"
import type { AccessRecord, AuditEntry, NewEvent } from "@sealway/records"
import { NO_STATS } from "@sealway/records/testing"
import { zipSync } from "fflate"
import { createFunctionDependencies } from "../dependencies.ts"
import { deployFunction } from "../deploy/deploy-function.ts"
import { deleteFunction, requireFunction } from "../deploy/manage-functions.ts"
import { requeueFunctionWork } from "../queue/requeue-function-work.ts"
import { type FunctionSettings, findFunction } from "../records/function-table.ts"
import { getRunData } from "../records/run-data.ts"
import type { RunLimits } from "../records/run-slots.ts"
import { type FunctionRun, runRecords } from "../records/run-table.ts"
import { scheduleRun } from "../runs/schedule-run.ts"
import { createRunWorker } from "../worker.ts"
import { createMemoryHost } from "./memory-host.ts"

export const SETTINGS: FunctionSettings = {
  language: "node@24",
  handler: "index.mjs",
  timeoutSeconds: 30,
  memoryMb: 256,
  callbackUrl: null,
}

export const AUTHOR = {
  actor: { type: "api-key", id: "key_1" },
  ip: "1.1.1.1",
  requestId: "request-1",
} as const
export const REQUESTER = { ...AUTHOR, apiKeyId: "key_1" }

export const ZIP = zipSync({ "index.mjs": new TextEncoder().encode("export const handler = () => 1") })

export interface WorldOptions {
  /** Default: more than a test uses. */
  readonly runLimits?: RunLimits
  /** What happens to workers. Default: nothing. */
  readonly explored?: Explored
}

/** Creates the worker with a simulated queue, tables, host and clock, so that hours pass instantly. */
export async function createWorld({
  explored,
  runLimits = { perApp: 100, perStage: 100 },
}: WorldOptions = {}) {
  const simulated = new SimulatedService({ explored, workerOf: () => worker })
  const { queues } = simulated
  const configTable = simulated.createTable("config")
  const runsTable = simulated.createTable("runs")
  const reach = <Result>(text: string, act: () => Result) =>
    simulated.reach({ text, access: null, faults: WRITE }, act)
  const events: NewEvent[] = []
  const audited: AuditEntry[] = []
  const accessed: AccessRecord[] = []
  const logged: unknown[] = []
  const stored = new Map<string, Uint8Array>()
  const memoryHost = createMemoryHost(simulated.reach)
  const decisions: { permits: boolean } = { permits: true }
  let app: App = APP

  const keyring = createTestKeyring()
  await keyring.addVersion(APP)
  const dependencies = createFunctionDependencies(
    {
      configTable,
      runsTable,
      runLimits,
      keyring,
      draws: simulated.draws,
      // Each look at the clock is later than the last, so that nothing stays cached.
      now: () => (ticks += 60_000),
      wallClock: () => simulated.nowMs,
      sleep: async () => undefined,
      allowPrivateDestinations: false,
      directory: { app: async (id) => (id === APP.id ? app : null) },
      events: {
        publish: (event) =>
          reach(`publish ${event.type}`, () => {
            // As the platform does: what is published again without an id is another event.
            events.push({ ...event, id: event.id ?? simulated.draws.newId("webhook_event", simulated.nowMs) })
          }),
      },
      accessLog: { record: (record) => void accessed.push(record) },
      audit: { record: async (entry) => void audited.push(entry), async *read() {} },
      stats: NO_STATS,
      log: { warn: (...told: unknown[]) => void logged.push(told) },
      queues,
    },
    {
      host: memoryHost.host,
      code: {
        put: (key, zip) => reach(`put ${key}`, () => void stored.set(key, zip)),
        get: (key) => reach(`get ${key}`, () => stored.get(key) ?? null),
        remove: (key) => reach(`remove ${key}`, () => void stored.delete(key)),
      },
      dataRoles: {
        async decide(_app, requests) {
          const decision: Decision = decisions.permits
            ? { decision: "permit", reason: "permitted", policyIds: [], accessLog: "standard", budgets: [] }
            : {
                decision: "deny",
                reason: "forbidden",
                policyIds: ["policy_1"],
                accessLog: "standard",
                budgets: [],
              }
          const masked: Decision = { ...decision, decision: "masked", mask: { type: "name" } }
          return new Map(
            requests.map(({ role, reveal }) => [
              role,
              role === "masked" && reveal === "any" ? masked : decision,
            ]),
          )
        },
      },
    },
  )
  const worker = createRunWorker(dependencies)

  return {
    ...memoryHost,
    dependencies,
    configTable,
    runsTable,
    keyring,
    get messages() {
      return simulated.messages
    },
    get deadLetters() {
      return simulated.deadLetters
    },
    loseMessages: () => simulated.loseMessages(),
    /** Runs a request, which may die or fail. @returns whether it ended well */
    mortal: (act: () => Promise<unknown>) => simulated.mortal(act),
    events,
    audited,
    accessed,
    logged,
    stored,
    decisions,
    now: () => simulated.nowMs,
    setApp: (changed: App) => {
      app = changed
    },
    record: (name = "charge") => findFunction(configTable, APP.id, name),
    deploy: (settings: Partial<FunctionSettings> = {}, name = "charge", zip: Uint8Array = ZIP) =>
      deployFunction(dependencies, APP, name, { ...SETTINGS, ...settings }, zip, AUTHOR),
    remove: (name = "charge") => deleteFunction(dependencies, APP, name, AUTHOR),

    /** @param body the request body */
    async schedule(body: string | object = { payload: { a: 1 } }, name = "charge") {
      const record = await requireFunction(dependencies, APP, name)
      const text = typeof body === "string" ? body : JSON.stringify(body)
      return scheduleRun(dependencies, APP, record, Buffer.from(text), REQUESTER)
    },
    run: (run: FunctionRun) => runRecords.find(runsTable, run.appId, run),
    /** Returns the fields of a run's recorded outcome; null for none. */
    async outcome(place: FunctionRun): Promise<unknown> {
      const run = await runRecords.find(runsTable, place.appId, place)
      const members = run && (await getRunData(runsTable, keyring, APP, run, `outcome-${run.attempts}`))
      return members && JSON.parse(`{${members.toString()}}`)
    },
    pending: () => [...runsTable.items.keys()].filter((key) => key.startsWith("function-pending#")),

    /** Delivers messages as they become visible, until none is left or the time is over. */
    work: (forMs = 24 * 60 * 60_000) => simulated.work(forMs),

    /** Loses all messages, like in-memory queues that start empty. */
    async restart() {
      simulated.loseMessages()
      await requeueFunctionWork(dependencies, { overdueMs: 0 })
    },
    sweep: (overdueMs: number) => requeueFunctionWork(dependencies, { overdueMs }),
  }
}

/** Creates a world with a function `charge` that serves, before any event is published. */
export async function createDeployedWorld(options: WorldOptions = {}) {
  const world = await createWorld(options)
  await world.deploy({ callbackUrl: "https://a.example/done" })
  await world.work(60_000)
  world.events.length = 0
  return world
}

let ticks = 0

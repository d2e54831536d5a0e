import { randomUUID } from "node:crypto"
import { createService, ENDPOINTS, type ServedEndpoint } from "@sealway/api"
import { createPlatform, type Platform } from "@sealway/http"
import { withoutLaterWrites } from "@sealway/http/testing"
import {
  BUCKETS,
  createCloudClients,
  type EmbeddedCloud,
  ensureStageKey,
  startEmbeddedCloud,
} from "@sealway/local"
import { appPartition, QUEUES, TABLES, teamPartition } from "@sealway/ports"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest"
import * as z from "zod"
import { ELSEWHERE } from "../explore/programs/writes.ts"
import {
  type BreakableProcesses,
  createBreakableProcesses,
  type Fault,
} from "../support/breakable-process.ts"
import { type DnsServer, startDnsServer } from "../support/dns-server.ts"
import { ENDPOINT_REQUESTS, prepareTeam, sendRequest } from "../support/endpoint-requests.ts"
import type { GrantRequest, GrantRequests, Prerequisites } from "../support/grant-request.ts"
import { createRelayRequests } from "../support/relay-grant-requests.ts"
import { createStoredItems, type StoredItem, type StoredItems } from "../support/stored-items.ts"

/** Endpoints that are not executed again after a crash, and why. */
const UNKNOWABLE =
  "Nobody can know what a customer's code has done. It answers idempotency-result-unknown, which tests of functions check."
const EXCEPTIONS: Record<string, string> = {
  "run-function": UNKNOWABLE,
  "run-bare-payload": UNKNOWABLE,
  "create-cryptogram":
    "What it answers is stored nowhere. It answers idempotency-result-unknown, which tests of network tokens check.",
}

/** Endpoints at which single writes fail too. The others would only show the same. */
const ALL_FAULTS: readonly string[] = ["create-app"]

const MAX_WRITES = 60
/** Longer than a request locks its key. */
const LOCK_MS = 61_000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const WINDOW_MS = 10 * MINUTE_MS

const endpoints = Object.values(ENDPOINTS).flat()
/** Those that are not explored in memory: see `test/explore/programs/writes.ts`. */
const writing = Object.keys(ELSEWHERE)

let cloud: EmbeddedCloud
let dns: DnsServer
let platform: Platform
let served: readonly ServedEndpoint[]
let processes: BreakableProcesses
let items: StoredItems
let requests: GrantRequests
const clock = { aheadMs: 0 }

beforeAll(async () => {
  dns = await startDnsServer()
  cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: QUEUES, buckets: BUCKETS })
  const { configuration, clients } = createCloudClients(cloud, { dnsServers: [dns.address] })
  await ensureStageKey(cloud)
  platform = withoutLaterWrites(createPlatform(configuration, clients))
  served = createService(platform).endpoints
  processes = createBreakableProcesses(cloud, [dns.address])
  items = createStoredItems(clients.openTable)
  requests = { ...ENDPOINT_REQUESTS, ...createRelayRequests(dns) }
})
afterAll(async () => {
  await dns.close()
  await cloud.close()
})
// Each test begins when a window of ten minutes begins: counts of a window do not depend on the time of day.
beforeEach(() => {
  const now = Date.now.bind(Date)
  const begunAt = now()
  const windowAt = Math.ceil(begunAt / WINDOW_MS) * WINDOW_MS
  clock.aheadMs = 0
  vi.spyOn(Date, "now").mockImplementation(() => windowAt + now() - begunAt + clock.aheadMs)
})
afterEach(() => vi.restoreAllMocks())

test("tries every endpoint that changes something, except those named with a reason", () => {
  expect(endpoints.filter(({ writes }) => writes === "once").map(({ id }) => id)).toEqual(
    Object.keys(EXCEPTIONS),
  )
  expect(endpoints.filter(({ id }) => ELSEWHERE[id] !== undefined).map(({ id }) => id)).toHaveLength(
    writing.length,
  )
  const reading = endpoints.filter(({ writes }) => !writes).map(({ method }) => method)
  expect(new Set(reading)).toEqual(new Set(["GET", "POST", "PATCH"]))
})

test.each(writing)(
  "executes %s once, with the same answer, when any one step failed and it is repeated with its key",
  async (id) => {
    const requestOf = requests[id]
    if (requestOf === undefined) throw new Error(`No request tries ${id}`)
    const faults: readonly Fault[] = ALL_FAULTS.includes(id) ? ["death", "refusal", "lost answer"] : ["death"]
    const given = await prepareTeam(platform, served)
    // A refusal is not stored: the next request with its key is another one.
    const accepted = [await requestOf(given)].flat().filter(({ status = 200 }) => status < 400)
    for (const request of accepted) {
      const trial: Trial = { id, given, request }
      const undisturbed = await send(trial, null, randomUUID())
      const expected = { status: undisturbed.statusCode, ...(await recordsOf(given, undisturbed.body)) }
      await processes.undo()
      for (const kind of faults) {
        for (let at = 1; at <= MAX_WRITES; at++) {
          const writes = await endsOnce(trial, { kind, at }, expected)
          await processes.undo()
          if (writes < at) break
          expect(at).toBeLessThan(MAX_WRITES)
        }
      }
    }
  },
  120_000,
)

test.each([
  ["after it had begun, is answered with idempotency-result-unknown", 9, "idempotency-result-unknown"],
  ["before it had begun, is refused", 2, "not-found"],
])("answers a repeated request that would be refused now, and that died %s", async (_, at, code) => {
  const given = await prepareTeam(platform, served)
  const created = await given.prepare("create-webhook-endpoint", {
    body: { url: "https://example.com/", events: ["*"] },
  })
  const path = { webhook_endpoint_id: created.id ?? "" }
  const trial: Trial = { id: "test-webhook-endpoint", given, request: { path } }
  const key = randomUUID()
  await send(trial, processes.start({ kind: "death", at }).endpoints, key)
  await send({ ...trial, id: "delete-webhook-endpoint" }, null, randomUUID())
  clock.aheadMs += LOCK_MS
  for (let repetition = 0; repetition < 2; repetition++) {
    const { body = "" } = await send(trial, null, key)
    expect(JSON.parse(body)).toMatchObject({ code })
  }
})

test("answers idempotency-result-unknown to a request that died a day ago and was repeated since", async () => {
  const given = await prepareTeam(platform, served)
  const created = await given.prepare("create-webhook-endpoint", {
    body: { url: "https://example.com/", events: ["*"] },
  })
  const path = { webhook_endpoint_id: created.id ?? "" }
  const trial: Trial = { id: "rotate-webhook-secret", given, request: { path, body: {} } }
  const whole = processes.start(null)
  await send(trial, whole.endpoints, randomUUID())
  const key = randomUUID()
  const dieAt = (at: number) => send(trial, processes.start({ kind: "death", at }).endpoints, key)
  await dieAt(whole.writes())
  const once = await platform.configTable.list(appPartition(given.app.id), "webhook-endpoint#")
  clock.aheadMs += 23 * HOUR_MS
  await dieAt(3)
  clock.aheadMs += HOUR_MS - MINUTE_MS
  const { body = "" } = await send(trial, null, key)
  expect(JSON.parse(body)).toMatchObject({ code: "idempotency-result-unknown" })
  expect(await platform.configTable.list(appPartition(given.app.id), "webhook-endpoint#")).toEqual(once)
})

test("answers a repeated rotation of keys with the version that it made, though others have made one since", async () => {
  const given = await prepareTeam(platform, served)
  const request = { auth: "team", path: { app_id: given.app.id } } as const
  const trial: Trial = { id: "rotate-keys", given, request }
  const whole = processes.start(null)
  await send(trial, whole.endpoints, randomUUID())
  const key = randomUUID()
  await send(trial, processes.start({ kind: "death", at: whole.writes() }).endpoints, key)
  await send(trial, null, randomUUID())
  clock.aheadMs += LOCK_MS
  const { body = "" } = await send(trial, null, key)
  expect(JSON.parse(body)).toMatchObject({ version: 3 })
  const versions = await platform.keysTable.list(appPartition(given.app.id), "key-version#")
  expect(versions.map(({ version }) => version)).toEqual([4, 3, 2, 1])
})

interface Trial {
  readonly id: string
  readonly given: Prerequisites
  readonly request: GrantRequest
}

/** The records of a team. */
interface Records {
  /** How many records of each kind there are, and how often they were changed. */
  readonly kinds: ReadonlyMap<string, number>
  /** The number of each action in the audit log. */
  readonly audited: ReadonlyMap<string, number>
}

interface ExpectedRecords extends Records {
  readonly status: number | undefined
}

/** @returns how many writes the request made */
async function endsOnce(
  trial: Trial,
  fault: { readonly kind: Fault; readonly at: number },
  expected: ExpectedRecords,
): Promise<number> {
  const key = randomUUID()
  const first = processes.start(fault)
  const begun = await send(trial, first.endpoints, key)
  clock.aheadMs += LOCK_MS
  const second = processes.start(null)
  const repeated = await send(trial, second.endpoints, key)
  const again = await send(trial, second.endpoints, key)
  const { kinds, audited } = await recordsOf(trial.given, repeated.body)
  clock.aheadMs -= LOCK_MS

  const found = {
    fault,
    status: repeated.statusCode,
    body: repeated.body,
    // The answer is stored by the last write, and the caller does not see it fail.
    told: keptOf(trial.id, begun.statusCode === expected.status ? begun.body : repeated.body),
    kept: again.body,
    isReplayed: again.headers?.["idempotency-replayed"],
  }
  const { body } = found
  expect(found).toEqual({
    fault,
    status: expected.status,
    body,
    isReplayed: "true",
    told: keptOf(trial.id, body),
    kept: keptOf(trial.id, body),
  })
  const shown = (records: Records) =>
    fault.kind === "death"
      ? { kinds: toObject(records.kinds), audited: toObject(records.audited) }
      : { kinds: toObject(withoutEvents(records.kinds)), audited: toObject(withoutFailures(records.audited)) }
  expect({ fault, ...shown({ kinds, audited }) }).toEqual({ fault, ...shown(expected) })
  return first.writes()
}

/** @param to null for a new process */
async function send({ id, given, request }: Trial, to: readonly ServedEndpoint[] | null, key: string) {
  return sendRequest(to ?? processes.start(null).endpoints, id, given, request, key, randomUUID())
}

/** Returns an answer without what its endpoint does not allow to be stored. */
function keptOf(id: string, body: string | undefined): string | undefined {
  const unkept = endpoints.find((each) => each.id === id)?.unkept ?? []
  if (unkept.length === 0) return body
  const members = Object.entries(z.record(z.string(), z.unknown()).parse(JSON.parse(body ?? "")))
  return JSON.stringify(Object.fromEntries(members.filter(([name]) => !unkept.includes(name))))
}

async function recordsOf({ team, app }: Prerequisites, answer: string | undefined): Promise<Records> {
  const made = z.object({ id: z.string().startsWith("app_") }).safeParse(answer ? JSON.parse(answer) : null)
  const apps = made.success ? [app.id, made.data.id] : [app.id]
  const kinds = new Map<string, number>()
  const audited = new Map<string, number>()
  for (const pk of [teamPartition(team.id), ...apps.map(appPartition)]) {
    for (const { name } of TABLES) {
      for (const item of await items.list(name, pk)) {
        const [kind = ""] = String(item.sk).split("#")
        if (kind !== "audit") count(kinds, `${kind}, changed ${changesOf(item)} times`)
        else for (const action of actionsOf(item)) count(audited, action)
      }
    }
  }
  return { kinds, audited }
}

const auditSchema = z.object({ records: z.array(z.object({ action: z.string() })) })

function actionsOf(item: StoredItem): readonly string[] {
  return auditSchema.parse(item).records.map(({ action }) => action)
}

/** Some records begin with another revision than 1: the time of their creation. */
function changesOf(item: StoredItem): number {
  const revision = Number(item.revision ?? 1)
  const createdAt = Number(item.createdAt ?? Number.POSITIVE_INFINITY)
  return revision - (revision >= createdAt ? createdAt : 1)
}

function count(counts: Map<string, number>, key: string, times = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + times)
}

/** A recorded failure has an event, too. */
function withoutEvents(kinds: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return new Map([...kinds].filter(([kind]) => !kind.startsWith("webhook-event")))
}

/** Counts how often each thing happened without the failures. */
function withoutFailures(audited: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const done = new Map<string, number>()
  for (const [action, times] of audited) {
    const [, failed] = /^(.*)\.failed$/.exec(action) ?? []
    count(done, failed ?? action, failed === undefined ? times : -times)
  }
  return done
}

function toObject(counts: ReadonlyMap<string, number>): object {
  return Object.fromEntries([...counts].sort())
}

import { setTimeout as delay } from "node:timers/promises"
import { codeOf } from "../../test/support/functions.ts"
import { type Credentials, type Outcome, type Request, send, sendThroughRelay } from "./caller.ts"
import { KINDS } from "./kinds.ts"
import { createLedger, type Ledger, type LedgerRecord, type OwnReceiver } from "./ledger.ts"
import type { Random } from "./random.ts"
import { readAll } from "./read-all.ts"
import type { Behaviour, Receivers } from "./receivers.ts"
import type { TorturedService } from "./tortured-service.ts"
import { createFileWork } from "./work-files.ts"
import { createStrictWork } from "./work-strict.ts"
import { createSubjectWork } from "./work-subjects.ts"

export interface ClientOptions {
  readonly number: number
  readonly service: TorturedService
  readonly receivers: Receivers
  readonly random: Random
  /** Behaviours of the receivers besides the quick one. */
  readonly behaviours: readonly Behaviour[]
}

export interface Client {
  readonly ledger: Ledger
  /** Sends requests until the signal aborts. */
  run(signal: AbortSignal): Promise<void>
}

const ECHO = codeOf({ "index.mjs": "export const handler = async (payload) => payload" })
const MAX_OPEN_RUNS = 4
/** How an app keeps its keys: as most do, in an HSM, which excludes data subjects, or as one that seals with them. */
const KEEPING = [{}, { custody: "hsm" }, { sealing: "symmetric" }] as const

/** Creates an app with what every client uses, while nothing is broken yet. */
export async function createClient(options: ClientOptions): Promise<Client> {
  const { number, service, receivers, random, behaviours } = options
  const { teamId, teamKey } = await service.ready()
  const team: Credentials = { user: teamId, key: teamKey }
  const made = async (request: Request) => {
    const outcome = await send(service, request)
    if (outcome.kind !== "acknowledged")
      throw new Error(`${request.path} is not answered: ${JSON.stringify(outcome)}`)
    return outcome.json
  }
  const post = (path: string, auth: Credentials, body: unknown) => made({ method: "POST", path, auth, body })
  const app = await post("/apps", team, { name: `client-${number}`, environment: "sandbox" })
  const appId = String(app.id)
  const hasUndo = number % 2 === 1
  const settings = { erasureDays: hasUndo ? 1 : 0, ...KEEPING[number % KEEPING.length] }
  await made({ method: "PATCH", path: `/apps/${appId}`, auth: team, body: settings })
  const key = await post(`/apps/${appId}/api-keys`, team, { name: "client", scopes: ["*"] })
  const auth: Credentials = { user: appId, key: String(key.key) }
  await post("/data-roles", auth, { slug: "used", name: "Used" })
  await post("/data-roles", auth, { slug: "strict", name: "Strict", accessLog: "strict" })
  const roles = ["used", "strict"]
  await post("/data-policies", auth, { name: "Used", effect: "permit", roles, conditions: {} })
  const { value } = await made({
    method: "POST",
    path: "/encrypt",
    auth,
    body: { value: "secret" },
    headers: { "x-service-data-role": "strict" },
  })
  const relay = await post("/relays", auth, {
    destinationDomain: receivers.url,
    routes: [
      {
        path: "/echo",
        request: [{ action: "encrypt", selections: [{ type: "json", selector: "$.secret" }] }],
      },
    ],
  })
  await post("/functions", auth, { name: "echo", language: "node@24", handler: "index.mjs", code: ECHO })
  while ((await made({ method: "GET", path: "/functions/echo", auth })).status === "deploying")
    await delay(50)
  const endpoint = async ({ path, events }: OwnReceiver) =>
    String((await post("/webhook-endpoints", auth, { url: receivers.url + path, events: [events] })).id)
  const quick = `/quick/${number}`
  // A receiver that accepts nothing is tried eight times for each event: it gets few.
  const others = behaviours.map((behaviour) => ({
    path: `/${behaviour}/${number}`,
    events: behaviour === "broken" ? "function.run.completed" : "*",
  }))
  const quickEndpoint = await endpoint({ path: quick, events: "*" })
  for (const other of others) await endpoint(other)
  const setupEvents = new Set((await readAll(service, auth, "/webhook-events")).map(({ id }) => String(id)))

  const ledger = createLedger({
    app: { id: appId, auth },
    receivers: { quick, others },
    setupEvents,
    quickEndpoint,
    relayDomain: String(relay.relayDomain),
    hasUndo,
    strict: { token: String(value), answered: 0, unanswered: 0 },
  })
  let serial = 0
  const nextName = () => `c${number}-${++serial}`

  const ask = async (request: Request): Promise<Outcome> => {
    const outcome = await send(service, request)
    if (outcome.kind === "refused") {
      const refusal = `${outcome.status} ${outcome.code}`
      ledger.refusals.set(refusal, (ledger.refusals.get(refusal) ?? 0) + 1)
    }
    // A refused client comes back a little later.
    if (outcome.kind !== "acknowledged") await delay(random.between(50, 200))
    return outcome
  }
  const authOf = ({ kind }: Pick<LedgerRecord, "kind">) => (kind.by === "team" ? team : auth)

  const context = { service, ledger, random, ask, nextName }
  const workWithSubjects = createSubjectWork(context)
  const workWithFiles = createFileWork(context)
  const decryptStrict = createStrictWork(context)

  async function create(): Promise<void> {
    const kind = random.pick(KINDS)
    const live = ledger.records.filter(
      (each) => each.kind === kind && each.states.some((state) => state !== null),
    )
    if (live.length >= kind.atMost) return
    const name = nextName()
    const request = { body: kind.body(name, random), idempotencyKey: `${appId}-${name}` }
    const record: LedgerRecord = {
      kind,
      request,
      id: null,
      auditTarget: null,
      states: [request.body, null],
      isRepeated: false,
      isOpen: true,
    }
    ledger.records.push(record)
    const asked: Request = {
      method: "POST",
      path: kind.path(appId),
      auth: authOf(record),
      body: request.body,
      headers: { "idempotency-key": request.idempotencyKey },
    }
    const outcome = await ask(asked)
    if (outcome.kind === "refused") ledger.records.splice(ledger.records.indexOf(record), 1)
    if (outcome.kind !== "acknowledged") return
    const id = String(outcome.json[kind.id])
    const auditTarget = String(outcome.json.id)
    Object.assign(record, { id, auditTarget, states: [request.body], isOpen: false })
    ledger.audited.push({ action: "create", target: auditTarget })
    if (random.next() < 0.1) await repeat(asked, record)
  }

  async function repeat(asked: Request, { kind, id }: LedgerRecord): Promise<void> {
    const again = await ask(asked)
    // A full disk may keep the answer from being stored: the request counts as in progress for a minute.
    if (again.kind === "unknown" || (again.kind === "refused" && again.code === "conflict")) return
    ledger.repeated++
    if (again.kind === "refused")
      ledger.repeatedOtherwise.push(`${kind.name} ${id}: ${again.status} ${again.code}`)
    else if (again.json[kind.id] !== id)
      ledger.repeatedOtherwise.push(`${kind.name} ${id}: ${again.json[kind.id]}`)
  }

  async function changeOrDelete(): Promise<void> {
    const settled = ledger.records.filter(({ isOpen, states }) => !isOpen && states[0] !== null)
    const [first, ...rest] = settled
    if (first === undefined) return
    const record = random.pick([first, ...rest])
    const change = random.next() < 0.5 ? record.kind.change(random) : null
    if (change === null && !record.kind.isDeleted) return
    const before = record.states
    const [now = {}] = before
    const after = change === null ? null : { ...now, ...change }
    Object.assign(record, { states: [...before, after], isOpen: true })
    const path = `${record.kind.path(appId)}/${record.id}`
    const outcome = await ask({
      method: change === null ? "DELETE" : "PATCH",
      path,
      auth: authOf(record),
      ...(change !== null && { body: change }),
    })
    if (outcome.kind === "unknown") return
    Object.assign(record, { states: outcome.kind === "acknowledged" ? [after] : before, isOpen: false })
    if (outcome.kind === "acknowledged") {
      ledger.audited.push({
        action: change === null ? "delete" : "update",
        target: String(record.auditTarget),
      })
    }
  }

  async function seal(): Promise<void> {
    const values = Array.from({ length: random.between(1, 10) }, () => `secret ${random.next()}`)
    const role = random.next() < 0.3 ? { "x-service-data-role": "used" } : {}
    const outcome = await ask({ method: "POST", path: "/encrypt", auth, body: { values }, headers: role })
    if (outcome.kind !== "acknowledged" || !Array.isArray(outcome.json.values)) return
    ledger.sealed.push({ tokens: outcome.json.values, values })
  }

  async function open(): Promise<void> {
    const [first, ...rest] = ledger.sealed
    if (first === undefined) return
    const { tokens, values } = random.pick([first, ...rest])
    const outcome = await ask({ method: "POST", path: "/decrypt", auth, body: { values: tokens } })
    if (outcome.kind !== "acknowledged") return
    if (JSON.stringify(outcome.json.values) !== JSON.stringify(values))
      ledger.repeatedOtherwise.push("a decryption returned other values")
  }

  async function relayOne(): Promise<void> {
    const secret = `relayed ${random.next()}`
    const answer = await sendThroughRelay(service, ledger.relayDomain, { secret })
    if (answer === null) await delay(random.between(50, 200))
    else ledger.relayed.push({ tokens: [answer.secret], values: [secret] })
  }

  async function schedule(): Promise<void> {
    const done = receivers.taken(quick)
    const isDone = ({ path }: { path: string }) =>
      [...done.values()].some(({ data }) => path.endsWith(`/${String(data.run)}`))
    if (ledger.runs.slice(-20).filter((run) => !isDone(run)).length >= MAX_OPEN_RUNS) return
    const payload = { run: ++serial }
    const body = { payload, async: true }
    const outcome = await ask({ method: "POST", path: "/functions/echo/runs", auth, body })
    if (outcome.kind === "acknowledged") ledger.runs.push({ path: outcome.location ?? "", payload })
  }

  async function rotate(): Promise<void> {
    const outcome = await ask({ method: "POST", path: `/apps/${appId}/keys/rotate`, auth: team, body: {} })
    if (outcome.kind === "acknowledged") ledger.rotations++
  }

  async function sendTest(): Promise<void> {
    const path = `/webhook-endpoints/${quickEndpoint}/test`
    const askedAt = performance.now()
    const outcome = await ask({ method: "POST", path, auth })
    if (outcome.kind === "acknowledged") {
      const at = performance.now()
      ledger.tests.push({ id: String(outcome.json.id), at, tookMs: at - askedAt })
    }
  }

  async function act(): Promise<void> {
    const at = random.next()
    if (at < 0.2) await create()
    else if (at < 0.35) await changeOrDelete()
    else if (at < 0.45) await seal()
    else if (at < 0.5) await open()
    else if (at < 0.6) await relayOne()
    else if (at < 0.78) await workWithSubjects()
    else if (at < 0.82) await workWithFiles()
    else if (at < 0.85) await decryptStrict()
    else if (at < 0.9) await schedule()
    else if (at < 0.905) await rotate()
    else await sendTest()
  }

  return {
    ledger,
    async run(signal) {
      while (!signal.aborted) {
        await act()
        // Several clients of this kind keep a machine busy, and leave it room to answer.
        await delay(random.between(5, 50))
      }
    },
  }
}

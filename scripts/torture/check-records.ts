import { type Credentials, type Json, send } from "./caller.ts"
import { type Finding, Tally } from "./findings.ts"
import { KINDS, type Kind, shows } from "./kinds.ts"
import type { Ledger, LedgerRecord } from "./ledger.ts"
import { readAll } from "./read-all.ts"
import type { Reachable } from "./tortured-service.ts"

/** What became of requests that never got an answer, and were repeated with the same Idempotency-Key. */
export interface Repetitions {
  repeated: number
  acknowledged: number
  readonly refused: Map<string, number>
}

/** Repeats each creation that got no answer, as clients are told to. */
export async function repeatCreations(
  service: Reachable,
  team: Credentials,
  ledgers: readonly Ledger[],
): Promise<Repetitions> {
  const repetitions: Repetitions = { repeated: 0, acknowledged: 0, refused: new Map() }
  for (const { app, records } of ledgers) {
    for (const record of records.filter(({ id }) => id === null)) {
      const { kind, request } = record
      repetitions.repeated++
      record.isRepeated = true
      const outcome = await send(service, {
        method: "POST",
        path: kind.path(app.id),
        auth: kind.by === "team" ? team : app.auth,
        body: request.body,
        headers: { "idempotency-key": request.idempotencyKey },
      })
      if (outcome.kind === "acknowledged") {
        repetitions.acknowledged++
        Object.assign(record, { id: String(outcome.json[kind.id]), states: [request.body], isOpen: false })
      } else {
        const why = outcome.kind === "refused" ? `${outcome.status} ${outcome.code}` : "no answer"
        repetitions.refused.set(why, (repetitions.refused.get(why) ?? 0) + 1)
      }
    }
  }
  return repetitions
}

/** Checks that every record is as it was acknowledged, and there is no other. */
export async function checkRecords(
  service: Reachable,
  team: Credentials,
  ledgers: readonly Ledger[],
): Promise<{ readonly findings: readonly Finding[]; readonly madeTwice: Finding }> {
  const findings: Finding[] = []
  const repeated = new Tally()
  for (const kind of KINDS) {
    const tally = new Tally()
    for (const ledger of ledgers) {
      const auth = kind.by === "team" ? team : ledger.app.auth
      const listed = await readAll(service, auth, kind.path(ledger.app.id), kind.pages ?? kind.id)
      const live = listed.filter((each) => kind.isGone?.(each) !== true)
      checkKind(kind, ledger, live, { tally, repeated })
    }
    findings.push(tally.finding(kind.name))
  }
  return { findings, madeTwice: repeated.finding("creation repeated after a kill") }
}

function checkKind(
  kind: Kind,
  { app, records }: Ledger,
  live: readonly Json[],
  { tally, repeated }: { readonly tally: Tally; readonly repeated: Tally },
): void {
  const ours = records.filter((record) => record.kind === kind)
  const byId = new Map(live.map((each) => [String(each[kind.id]), each]))
  for (const record of ours.filter(({ id }) => id !== null)) {
    tally.acknowledged++
    checkRecord(record, byId.get(String(record.id)), tally)
  }
  const named = new Map(ours.map((record) => [String(record.request.body[kind.unique]), record]))
  repeated.acknowledged += ours.filter(({ isRepeated }) => isRepeated).length
  const unnamed = new Set<string>()
  for (const found of live) {
    const name = String(found[kind.unique])
    const record = named.get(name)
    if (record === undefined) continue
    const isAnother = record.id === null ? unnamed.has(name) : record.id !== String(found[kind.id])
    if (record.id === null) unnamed.add(name)
    if (isAnother)
      (record.isRepeated ? repeated : tally).count("doubled", `${kind.name} ${name} of ${app.id}`)
  }
}

function checkRecord({ id, states }: LedgerRecord, found: Json | undefined, tally: Tally): void {
  if (
    states.some((state) =>
      state === null ? found === undefined : found !== undefined && shows(found, state),
    )
  )
    return
  const expected = states
    .map((state) => (state === null ? "gone" : JSON.stringify({ ...state, code: undefined })))
    .join(" or ")
  tally.count(found === undefined ? "lost" : "wrong", `${id} must be ${expected}`)
}

import { auditRecordSchema, createAuditChainVerifier } from "@sealway/records/audit-chain"
import type { Credentials } from "./caller.ts"
import { type Finding, Tally } from "./findings.ts"
import type { Ledger } from "./ledger.ts"
import { readAll } from "./read-all.ts"
import type { Receivers } from "./receivers.ts"
import type { Reachable } from "./tortured-service.ts"

/**
 * Checks that the chain of the audit log is intact, and contains every change, and that the app got an event for each.
 */
export async function checkAuditLog(
  service: Reachable,
  team: Credentials,
  receivers: Receivers,
  ledgers: readonly Ledger[],
): Promise<readonly Finding[]> {
  const listed = await readAll(service, team, "/audit-logs")
  const records = listed.map((each) => auditRecordSchema.unwrap().loose().parse(each)).toReversed()
  const chain = new Tally()
  const verifier = createAuditChainVerifier(null)
  for (const record of records) verifier.add(record)
  const result = verifier.result()
  chain.acknowledged = records.length
  if (result.state === "broken") chain.count("wrong", `record ${result.seq}: ${result.reason}`)

  const byTarget = Map.groupBy(records, ({ target }) => target.id)
  const changes = new Tally()
  const told = new Tally()
  for (const { audited, receivers: own, rotations, app } of ledgers) {
    const toldOf = new Set([...receivers.taken(own.quick).values()].map(({ data }) => String(data.id)))
    for (const [target, acknowledged] of Map.groupBy(audited, (each) => each.target)) {
      changes.acknowledged += acknowledged.length
      const found = byTarget.get(target) ?? []
      if (found.length < acknowledged.length) {
        changes.count("lost", `${target}: ${found.length} of ${acknowledged.length} records`)
      }
      const ofApp = found.filter(({ appId }) => appId === app.id)
      if (ofApp.length < found.length) continue
      told.acknowledged += acknowledged.length
      const arrived = ofApp.filter(({ id }) => toldOf.has(id))
      if (arrived.length < acknowledged.length) {
        told.count("lost", `${target}: ${arrived.length} of ${acknowledged.length} events`)
      }
    }
    changes.acknowledged += rotations
    const rotated = (byTarget.get(app.id) ?? []).filter(({ action }) => action.includes("rotate"))
    if (rotated.length < rotations)
      changes.count("lost", `${app.id}: ${rotated.length} of ${rotations} rotations`)
  }
  const strict = new Tally()
  const performed = Map.groupBy(
    records.filter(({ action }) => action === "decryption.performed"),
    ({ appId }) => appId,
  )
  for (const { app, strict: value } of ledgers) {
    const found = performed.get(app.id)?.length ?? 0
    strict.acknowledged += value.answered
    const who = `${app.id}: ${found} records of ${value.answered} decryptions`
    if (found < value.answered) strict.count("lost", who)
    if (found > value.answered + value.unanswered) strict.count("doubled", who)
  }
  return [
    chain.finding("record of the audit log's chain"),
    changes.finding("change in the audit log"),
    told.finding("change told by webhook"),
    strict.finding("decryption of a strict role's value"),
  ]
}

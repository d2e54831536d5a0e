import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  type AuditRecord,
  auditRecordSchema,
  type ChainHead,
  createAuditChainVerifier,
  EMPTY_CHAIN,
  linkAuditRecord,
} from "./audit-chain.ts"

function chainOf(length: number, teamId = "team_1"): AuditRecord[] {
  const records: AuditRecord[] = []
  for (let at = 0; at < length; at++) {
    const entry = {
      at,
      teamId,
      appId: at % 2 === 0 ? null : "app_1",
      action: "app.update",
      actor: { type: "team-key", id: "key_1" } as const,
      target: { type: "app", id: "app_1" },
      ip: "192.0.2.1",
      requestId: `request-${at}`,
      details: { status: "disabled", count: at, ünïcode: true, nothing: null },
    }
    records.push(linkAuditRecord(entry, records.at(-1) ?? EMPTY_CHAIN))
  }
  return records
}

function verify(records: readonly AuditRecord[], anchor?: ChainHead) {
  const verifier = createAuditChainVerifier(anchor)
  for (const record of records) verifier.add(record)
  return verifier.result()
}

const CHAIN = chainOf(6)
const HEAD = CHAIN[5] as AuditRecord

/** Replaces one record and relinks all that follow it, as an attacker with write access to the table could. */
function rewriteFrom(index: number, change: Partial<AuditRecord>): AuditRecord[] {
  const rewritten = CHAIN.slice(0, index)
  for (const record of CHAIN.slice(index)) {
    const { id: _id, seq: _seq, previousHash: _previous, hash: _hash, ...entry } = record
    const changed = record === CHAIN[index] ? { ...entry, ...change } : entry
    rewritten.push(linkAuditRecord(changed, rewritten.at(-1) ?? EMPTY_CHAIN))
  }
  return rewritten
}

describe("the audit chain", () => {
  test("is intact as written, and reports its head", () => {
    expect(verify([])).toEqual({ state: "intact", head: EMPTY_CHAIN })
    expect(verify(CHAIN)).toEqual({ state: "intact", head: { seq: 6, hash: HEAD.hash } })
    expect(verify(CHAIN, { seq: 3, hash: CHAIN[2]?.hash ?? "" })).toMatchObject({ state: "intact" })
  })

  test("is intact after a round trip through JSON with its fields in any order", () => {
    const shuffled = CHAIN.map((record) =>
      auditRecordSchema.parse(Object.fromEntries(Object.entries(record).toReversed())),
    )
    expect(verify(shuffled)).toMatchObject({ state: "intact" })
  })

  test("is broken at a record when any of its fields was edited", () => {
    const members = Object.keys(CHAIN[0] ?? {}) as (keyof AuditRecord)[]
    fc.assert(
      fc.property(fc.nat(5), fc.constantFrom(...members), (index, member) => {
        const record = CHAIN[index] as AuditRecord
        const edits: AuditRecord = {
          ...record,
          id: "audit_999999999999",
          seq: 99,
          at: record.at + 1,
          teamId: "team_2",
          appId: "app_2",
          action: "app.create",
          actor: { type: "api-key", id: "key_1" },
          target: { type: "app", id: "app_2" },
          ip: null,
          requestId: "another",
          details: { ...record.details, count: -1 },
          previousHash: HEAD.hash,
          hash: CHAIN[(index + 1) % 6]?.hash ?? "",
        }
        const edited = CHAIN.with(index, { ...record, [member]: edits[member] })
        expect(verify(edited)).toMatchObject({ state: "broken", seq: index + 1 })
      }),
    )
  })

  test("is broken where a record was removed, duplicated or moved", () => {
    fc.assert(
      fc.property(fc.nat(4), fc.nat(5), (from, to) => {
        const removed = CHAIN.toSpliced(from, 1)
        expect(verify(removed)).toMatchObject({ state: "broken", seq: from + 1, reason: "missing" })
        expect(verify(CHAIN.toSpliced(from, 0, CHAIN[from] as AuditRecord))).toMatchObject({
          state: "broken",
          seq: from + 2,
        })
        fc.pre(from !== to)
        const moved = removed.toSpliced(to, 0, CHAIN[from] as AuditRecord)
        expect(verify(moved)).toMatchObject({ state: "broken", seq: Math.min(from, to) + 1 })
      }),
    )
  })

  test("does not continue with another team's records", () => {
    const other = chainOf(6, "team_2")
    expect(verify([...CHAIN.slice(0, 3), ...other.slice(3)])).toMatchObject({ state: "broken", seq: 4 })
  })

  test("is broken when rewritten or truncated, if an earlier head is known", () => {
    const rewritten = rewriteFrom(2, { action: "app.create" })
    expect(verify(rewritten)).toMatchObject({ state: "intact" })
    expect(verify(rewritten, HEAD)).toEqual({ state: "broken", seq: 6, reason: "anchor" })
    expect(verify(CHAIN.slice(0, 4))).toMatchObject({ state: "intact" })
    expect(verify(CHAIN.slice(0, 4), HEAD)).toEqual({ state: "broken", seq: 5, reason: "anchor" })
  })
})

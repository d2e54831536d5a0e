import { hash } from "node:crypto"
import { actorSchema } from "@sealway/accounts/caller"
import canonicalize from "canonicalize"
import * as z from "zod"

/** The hash that the first record names as the one before it. */
export const CHAIN_START = "0".repeat(64)

const targetSchema = z.lazy(() => z.object({ type: z.string(), id: z.string() }))

/** One record of a team's audit log: who did what, when and from where, never the data. */
export const auditRecordSchema = z.lazy(() =>
  z
    .object({
      id: z.string().describe("`audit_` and the record's number in 12 digits"),
      seq: z.int().positive().describe("Counts the team's records, from 1"),
      at: z.int().describe("Epoch milliseconds"),
      teamId: z.string(),
      appId: z.string().nullable().describe("The app concerned; null when it concerns the team"),
      action: z
        .string()
        .describe(
          "What was done, such as `data-policy.update`; with `.failed` at the end when it then failed",
        ),
      actor: actorSchema,
      target: targetSchema,
      ip: z.string().nullable(),
      requestId: z.string().nullable(),
      details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
      previousHash: z.string().describe("`hash` of the previous record; 64 zeros for the first"),
      hash: z.string().describe("SHA-256, hex, of the canonical JSON (RFC 8785) of all other members"),
    })
    .meta({ id: "AuditRecord" }),
)

export type AuditRecord = z.infer<typeof auditRecordSchema>
export type UnlinkedAuditRecord = Omit<AuditRecord, "id" | "seq" | "previousHash" | "hash">

/** The end of a chain. */
export interface ChainHead {
  /** 0 for a chain without records. */
  readonly seq: number
  readonly hash: string
}

export const EMPTY_CHAIN: ChainHead = { seq: 0, hash: CHAIN_START }

const SEQ_DIGITS = 12

export function auditId(seq: number): string {
  return `audit_${String(seq).padStart(SEQ_DIGITS, "0")}`
}

/** Links a record to the end of a chain. */
export function linkAuditRecord(record: UnlinkedAuditRecord, head: ChainHead): AuditRecord {
  const seq = head.seq + 1
  const linked = { ...record, id: auditId(seq), seq, previousHash: head.hash }
  return { ...linked, hash: hashOf(linked) }
}

/** Links records to the end of a chain, one after the other. */
export function linkAuditRecords(
  records: readonly UnlinkedAuditRecord[],
  head: ChainHead,
): readonly AuditRecord[] {
  const linked: AuditRecord[] = []
  for (const record of records) linked.push(linkAuditRecord(record, linked.at(-1) ?? head))
  return linked
}

/** `intact`: records 1 to `head.seq` are as they were written. `broken`: the record at `seq` is not what was written there. */
export type ChainResult =
  | { readonly state: "intact"; readonly head: ChainHead }
  | { readonly state: "broken"; readonly seq: number; readonly reason: ChainFault }

/**
 * `missing`: a record has an unexpected number, because one was removed, added or moved. `edited`: a record does not
 * match its hash. `relinked`: a record does not name the hash of the one before it. `anchor`: the record of a known
 * number has another hash, or is gone: the chain was rewritten.
 */
export type ChainFault = "missing" | "edited" | "relinked" | "anchor"

/** The members of a record by which it is linked. Its hash covers all others too. */
export type ChainedRecord = Pick<AuditRecord, "id" | "seq" | "previousHash" | "hash">

/** Returns why a record cannot follow the end of a chain; null when it can. */
export function faultOf(record: ChainedRecord, head: ChainHead): ChainFault | null {
  const due = head.seq + 1
  const { hash: claimed, ...rest } = record
  if (record.seq !== due || record.id !== auditId(due)) return "missing"
  if (record.previousHash !== head.hash) return "relinked"
  return hashOf(rest) === claimed ? null : "edited"
}

export interface AuditChainVerifier {
  /** Takes records in ascending order. Once the chain is broken, further records change nothing. */
  add(record: AuditRecord): void
  result(): ChainResult
}

/**
 * Creates a verifier that checks a team's audit log from its first record on.
 *
 * @param anchor a head found by an earlier check. Without it, a log looks intact when its last records were removed, or
 * when an attacker with write access to the table rewrote it from some record on.
 */
export function createAuditChainVerifier(anchor: ChainHead | null = null): AuditChainVerifier {
  let head = EMPTY_CHAIN
  let broken: ChainResult | null = null
  const fault = (seq: number, reason: ChainFault) => {
    broken = { state: "broken", seq, reason }
  }
  return {
    add(record) {
      if (broken !== null) return
      const due = head.seq + 1
      const reason = faultOf(record, head)
      if (reason !== null) fault(due, reason)
      else if (anchor !== null && anchor.seq === due && anchor.hash !== record.hash) fault(due, "anchor")
      else head = { seq: due, hash: record.hash }
    },
    result() {
      if (broken !== null) return broken
      if (anchor !== null && anchor.seq > head.seq) {
        return { state: "broken", seq: head.seq + 1, reason: "anchor" }
      }
      return { state: "intact", head }
    },
  }
}

function hashOf(record: Omit<ChainedRecord, "hash">): string {
  return hash("sha256", canonicalize(record) ?? "", "hex")
}

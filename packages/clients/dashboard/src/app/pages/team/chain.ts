import type { AuditRecord } from "@sealway/sdk/api"
import canonicalize from "canonicalize"

/** What the first record names as the hash of the one before it. */
const CHAIN_START = "0".repeat(64)
const SEQ_DIGITS = 12

/** How far a chain was found to be as it was written. */
export interface Chain {
  /** The number of the last record that was checked; 0 before the first. */
  readonly seq: number
  /** Its hash. */
  readonly hash: string
}

export const EMPTY_CHAIN: Chain = { seq: 0, hash: CHAIN_START }

/** The record that is not as it was written. */
export class BrokenChainError extends Error {
  override readonly name = "BrokenChainError"
  readonly seq: number

  constructor(seq: number) {
    super(`The record ${seq} is not what was written there.`)
    this.seq = seq
  }
}

/**
 * Checks the next record of a chain: its number, that it names the hash of the record before it, and its own hash, which is
 * SHA-256 of the canonical JSON (RFC 8785) of all its other members.
 *
 * @throws BrokenChainError
 */
export async function checkNext(chain: Chain, record: AuditRecord): Promise<Chain> {
  const seq = chain.seq + 1
  const { hash, ...rest } = record
  const isLinked = record.seq === seq && record.id === auditId(seq) && record.previousHash === chain.hash
  if (!isLinked || (await sha256(canonicalize(rest) ?? "")) !== hash) throw new BrokenChainError(seq)
  return { seq, hash }
}

/** Returns the id of the record with a number. */
export const auditId = (seq: number): string => `audit_${String(seq).padStart(SEQ_DIGITS, "0")}`

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
}

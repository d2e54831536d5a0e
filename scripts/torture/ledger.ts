import type { Credentials, Json } from "./caller.ts"
import type { Kind } from "./kinds.ts"

/** A record that a client requested, and what it may be by now. */
export interface LedgerRecord {
  readonly kind: Kind
  readonly request: { readonly body: Json; readonly idempotencyKey: string }
  /** Null while its creation is not acknowledged. */
  id: string | null
  /** Its name in the audit log; null while it has no id. */
  auditTarget: string | null
  /** The fields that it must show, one of these; null means deleted. More than one once an answer was missing. */
  states: readonly (Json | null)[]
  /** Whether its creation never got an answer, and was repeated with the same Idempotency-Key. */
  isRepeated: boolean
  /** Whether a change got no answer: the record is then left alone. */
  isOpen: boolean
}

export interface SealedValues {
  readonly tokens: readonly unknown[]
  readonly values: readonly unknown[]
}

export interface LedgerRun {
  readonly path: string
  readonly payload: Json
}

/** A data subject, and what was sealed for it. */
export interface LedgerSubject {
  /** The app's own id of it. */
  readonly person: string
  id: string | null
  readonly sealed: SealedValues[]
  /** What was acknowledged; `unknown` once an erasure, or its undoing, got no answer. */
  state: "open" | "erased" | "unknown"
  /** When it was erased, or that was undone; milliseconds, monotonic. */
  changedAt: number
}

/** A file, whose content follows from its name. */
export interface LedgerFile {
  readonly name: string
  readonly size: number
  /** Null while its upload is not acknowledged. */
  id: string | null
  state: "stored" | "deleted" | "unknown"
}

/** A value of a strict role, and how often it was decrypted, with an answer or without one. */
export interface StrictValue {
  readonly token: string
  answered: number
  unanswered: number
}

/** A path that an endpoint of the client's app names. */
export interface OwnReceiver {
  readonly path: string
  /** `*` or one type. */
  readonly events: string
}

/** The owner of a ledger, and what the app had before. */
export interface LedgerOwner {
  readonly app: { readonly id: string; readonly auth: Credentials }
  readonly receivers: { readonly quick: string; readonly others: readonly OwnReceiver[] }
  /** Ids of events from before all its endpoints existed. */
  readonly setupEvents: ReadonlySet<string>
  readonly quickEndpoint: string
  readonly relayDomain: string
  /** Whether erasures of the app can be undone for a day. */
  readonly hasUndo: boolean
  readonly strict: StrictValue
}

/** Everything that one client had acknowledged. */
export interface Ledger extends LedgerOwner {
  readonly records: LedgerRecord[]
  readonly sealed: SealedValues[]
  readonly relayed: SealedValues[]
  readonly runs: LedgerRun[]
  readonly subjects: LedgerSubject[]
  readonly files: LedgerFile[]
  rotations: number
  /** Ids of the targets of acknowledged changes, with the action. */
  readonly audited: { readonly action: "create" | "update" | "delete"; readonly target: string }[]
  /** Ids of test events, with when they were acknowledged and how long that took; milliseconds, monotonic. */
  readonly tests: { readonly id: string; readonly at: number; readonly tookMs: number }[]
  /** What was answered otherwise than before: to requests repeated with their Idempotency-Key, and to decryptions. */
  readonly repeatedOtherwise: string[]
  repeated: number
  readonly refusals: Map<string, number>
}

/** Creates an empty ledger. */
export function createLedger(owner: LedgerOwner): Ledger {
  return {
    ...owner,
    records: [],
    sealed: [],
    relayed: [],
    runs: [],
    subjects: [],
    files: [],
    rotations: 0,
    audited: [],
    tests: [],
    repeatedOtherwise: [],
    repeated: 0,
    refusals: new Map(),
  }
}

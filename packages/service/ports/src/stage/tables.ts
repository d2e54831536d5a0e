export type TableName = "audit" | "config" | "events" | "keys" | "payments" | "runs"

/** The keys of a DynamoDB table: the strings `pk` and `sk`. Billing is on demand. */
export interface TableDefinition {
  readonly name: string
  readonly partitionKey: string
  readonly sortKey: string
  /** The attribute with an item's expiry in epoch seconds; null when nothing in the table expires. */
  readonly timeToLiveAttribute: string | null
}

/** Teams, apps, roles, policies: what changes rarely, and every request reads through caches. */
export const CONFIG_TABLE = {
  name: "config",
  partitionKey: "pk",
  sortKey: "sk",
  timeToLiveAttribute: null,
} as const satisfies TableDefinition

/**
 * What admits callers, and what values are sealed with: API keys, members with their sessions, and key versions. Apart from
 * other settings, so that only what issues and rotates them may write them.
 */
export const KEYS_TABLE = {
  name: "keys",
  partitionKey: "pk",
  sortKey: "sk",
  timeToLiveAttribute: null,
} as const satisfies TableDefinition

/** The audit log, and nothing else: its items are created and never change. */
export const AUDIT_TABLE = {
  name: "audit",
  partitionKey: "pk",
  sortKey: "sk",
  timeToLiveAttribute: null,
} as const satisfies TableDefinition

/** Deliveries, counters, access records, figures, and answers stored for repeated requests. */
export const EVENTS_TABLE = {
  name: "events",
  partitionKey: "pk",
  sortKey: "sk",
  timeToLiveAttribute: "expiresAt",
} as const satisfies TableDefinition

/** Runs of functions with their payloads and results, sealed. */
export const RUNS_TABLE = {
  name: "runs",
  partitionKey: "pk",
  sortKey: "sk",
  timeToLiveAttribute: "expiresAt",
} as const satisfies TableDefinition

/** Merchants, acquirers, cards and their changes, with numbers sealed, and data about ranges of card numbers. */
export const PAYMENTS_TABLE = {
  name: "payments",
  partitionKey: "pk",
  sortKey: "sk",
  timeToLiveAttribute: "expiresAt",
} as const satisfies TableDefinition

/** All tables of a deployment. */
export const TABLES: readonly TableDefinition[] = [
  CONFIG_TABLE,
  KEYS_TABLE,
  AUDIT_TABLE,
  EVENTS_TABLE,
  RUNS_TABLE,
  PAYMENTS_TABLE,
]

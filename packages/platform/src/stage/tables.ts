export type TableName = "config" | "events" | "payments" | "runs"

/** How a DynamoDB table is keyed: by the strings `pk` and `sk`. Billing is on demand. */
export interface TableDefinition {
  readonly name: string
  readonly partitionKey: string
  readonly sortKey: string
  /** The attribute that holds an item's expiry in epoch seconds; null when nothing in the table expires. */
  readonly timeToLiveAttribute: string | null
}

/** Teams, apps, keys, roles, policies: what changes seldom and is read, through caches, by every request. */
export const CONFIG_TABLE = {
  name: "config",
  partitionKey: "pk",
  sortKey: "sk",
  timeToLiveAttribute: null,
} as const satisfies TableDefinition

/** What happens: the audit log, deliveries, counters, and answers kept for repeated requests. */
export const EVENTS_TABLE = {
  name: "events",
  partitionKey: "pk",
  sortKey: "sk",
  timeToLiveAttribute: "expiresAt",
} as const satisfies TableDefinition

/** Runs of functions, and what they were given and answered, sealed. */
export const RUNS_TABLE = {
  name: "runs",
  partitionKey: "pk",
  sortKey: "sk",
  timeToLiveAttribute: "expiresAt",
} as const satisfies TableDefinition

/** Merchants, acquirers, cards and what becomes of them, numbers sealed; and what is known of ranges of card numbers. */
export const PAYMENTS_TABLE = {
  name: "payments",
  partitionKey: "pk",
  sortKey: "sk",
  timeToLiveAttribute: "expiresAt",
} as const satisfies TableDefinition

/** Every table of a deployment. */
export const TABLES: readonly TableDefinition[] = [CONFIG_TABLE, EVENTS_TABLE, RUNS_TABLE, PAYMENTS_TABLE]

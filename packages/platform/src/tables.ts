/** How a DynamoDB table is keyed. Keys are strings; billing is on demand. */
export interface TableDefinition {
  readonly name: string
  readonly partitionKey: string
  readonly sortKey: string
  /** The attribute that holds an item's expiry in epoch seconds; null when nothing in the table expires. */
  readonly timeToLiveAttribute: string | null
}

/** Teams, apps, keys and roles: what changes seldom and is read, through caches, by every request. */
export const CONFIG_TABLE: TableDefinition = {
  name: "config",
  partitionKey: "pk",
  sortKey: "sk",
  timeToLiveAttribute: null,
}

/** Every table of a deployment. */
export const TABLES: readonly TableDefinition[] = [CONFIG_TABLE]

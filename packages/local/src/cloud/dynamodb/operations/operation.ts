import { DynamoDbError } from "../dynamodb-error.ts"
import { type RequestMembers, tableNameMember } from "../request-members.ts"
import type { ItemStore, TableRecord } from "../store/item-store.ts"

/** An operation of the DynamoDB API. */
export interface Operation {
  /** Whether it may write. What does is run in a transaction, on the connection that writes. */
  readonly writes: boolean
  /**
   * @param nowSeconds epoch seconds
   * @returns the answer's body
   * @throws DynamoDbError; errors of ItemStore
   */
  run(members: RequestMembers, store: ItemStore, nowSeconds: number): Uint8Array
}

/** Members that say how much is told of what a call cost; nothing is, here. */
export const ACCOUNTING_MEMBERS = ["ReturnConsumedCapacity", "ReturnItemCollectionMetrics"] as const

/** @throws DynamoDbError ValidationException, ResourceNotFoundException */
export function requireTable(members: RequestMembers, store: ItemStore): TableRecord {
  const table = store.findTable(tableNameMember(members))
  if (table === null) throw new DynamoDbError("ResourceNotFoundException", "Requested resource not found")
  return table
}

export function json(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}

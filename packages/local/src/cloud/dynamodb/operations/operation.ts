import { DynamoDbError } from "../dynamodb-error.ts"
import { type RequestMembers, tableNameMember } from "../request-members.ts"
import type { ItemStore, TableRecord } from "../store/item-store.ts"

/** An operation of the DynamoDB API. */
export interface Operation {
  /** Whether it may write. If so, it runs in a transaction, on the writing connection. */
  readonly writes: boolean
  /**
   * @param nowSeconds epoch seconds
   * @returns the body of the answer
   * @throws DynamoDbError; errors of ItemStore
   */
  run(members: RequestMembers, store: ItemStore, nowSeconds: number): Uint8Array
}

/** Fields that ask for the cost of a call; they are accepted, and nothing is reported. */
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

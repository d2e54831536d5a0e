import { deleteItem } from "./delete-item.ts"
import { getItem } from "./get-item.ts"
import type { Operation } from "./operation.ts"
import { putItem } from "./put-item.ts"
import { query } from "./query.ts"
import { createTable, deleteTable, describeTable, listTables } from "./tables.ts"
import { describeTimeToLive, updateTimeToLive } from "./time-to-live.ts"
import { updateItem } from "./update-item.ts"

/** The supported operations by name. All others are refused. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ["CreateTable", createTable],
  ["DeleteItem", deleteItem],
  ["DeleteTable", deleteTable],
  ["DescribeTable", describeTable],
  ["DescribeTimeToLive", describeTimeToLive],
  ["GetItem", getItem],
  ["ListTables", listTables],
  ["PutItem", putItem],
  ["Query", query],
  ["UpdateItem", updateItem],
  ["UpdateTimeToLive", updateTimeToLive],
])

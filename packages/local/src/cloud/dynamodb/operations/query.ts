import { MB } from "@sealway/kernel/sizes"
import { invalid } from "../dynamodb-error.ts"
import { EXPRESSION_MEMBERS, placeholdersOf } from "../expression-members.ts"
import { type KeyCondition, parseKeyCondition } from "../expressions/key-condition.ts"
import type { Placeholders } from "../expressions/placeholders.ts"
import { keyAttributes, keyPart, MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES, parseKey } from "../item-key.ts"
import {
  allowMembers,
  booleanMember,
  choiceMember,
  type RequestMembers,
  textMember,
} from "../request-members.ts"
import type { SortRange, StoredKey, TableRecord } from "../store/item-store.ts"
import { type Operation, requireTable } from "./operation.ts"

/** The maximum size of one answer, counted as AWS counts items. */
const MAX_PAGE_BYTES = MB

const MEMBERS = [
  "TableName",
  "KeyConditionExpression",
  "ScanIndexForward",
  "ConsistentRead",
  "Limit",
  "ExclusiveStartKey",
  "ReturnConsumedCapacity",
  ...EXPRESSION_MEMBERS,
]

export const query: Operation = {
  writes: false,
  run(members, store) {
    allowMembers(members, MEMBERS)
    booleanMember(members, "ConsistentRead", false)
    choiceMember(members, "ReturnConsumedCapacity", ["NONE"])
    const isAscending = booleanMember(members, "ScanIndexForward", true)
    const limit = limitMember(members)
    const condition = parseKeyCondition(textMember(members, "KeyConditionExpression"))
    const placeholders = placeholdersOf(members, [condition])
    const table = requireTable(members, store)
    const range = rangeOf(table, condition.tree, placeholders)
    const start = members.has("ExclusiveStartKey") ? parseKey(table, members.get("ExclusiveStartKey")) : null
    if (start !== null) requireWithin(range, start)

    const items: Uint8Array[] = []
    let [size, last]: [number, Uint8Array | null] = [0, null]
    let isWhole = true
    for (const each of store.query(
      table,
      after(range, start, isAscending),
      isAscending ? "ascending" : "descending",
    )) {
      if (size + each.size > MAX_PAGE_BYTES) isWhole = false
      else {
        items.push(each.item)
        size += each.size
        last = each.sort
        isWhole = items.length < limit
      }
      if (!isWhole) break
    }
    const lastKey =
      isWhole || last === null ? null : keyAttributes(table, { partition: range.partition, sort: last })
    return page(items, lastKey && Object.fromEntries(lastKey))
  },
}

/** Writes a page. Items are passed on as stored. */
function page(items: readonly Uint8Array[], lastKey: object | null): Uint8Array {
  const comma = Buffer.from(",")
  const end = `],"Count":${items.length},"ScannedCount":${items.length}${lastKey === null ? "" : `,"LastEvaluatedKey":${JSON.stringify(lastKey)}`}}`
  const separated = items.flatMap((item, index) => (index === 0 ? [item] : [comma, item]))
  return Buffer.concat([Buffer.from('{"Items":['), ...separated, Buffer.from(end)])
}

function limitMember(members: RequestMembers): number {
  if (!members.has("Limit")) return Number.POSITIVE_INFINITY
  const limit = members.get("Limit")
  if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1) {
    throw invalid("Limit must be a whole number of 1 or more.")
  }
  return limit
}

/** Returns the range of sort keys that match the condition. */
function rangeOf(
  table: TableRecord,
  { partition, sort }: KeyCondition,
  placeholders: Placeholders,
): SortRange {
  requireName(partition.attribute, table.partitionKey, placeholders)
  const bytes = keyPart(placeholders.value(partition.value), MAX_PARTITION_KEY_BYTES)
  if (sort === null) return { partition: bytes, low: new Uint8Array(), high: Uint8Array.of(0xff) }
  requireName(sort.attribute, table.sortKey, placeholders)
  const low = keyPart(placeholders.value(sort.value), MAX_SORT_KEY_BYTES)
  // No UTF-8 byte is 0xff, so the last one can always be incremented.
  const high = Buffer.from(low)
  high[high.length - 1] = (low.at(-1) ?? 0) + 1
  return { partition: bytes, low, high }
}

function requireName(name: string, expected: string, placeholders: Placeholders): void {
  if (placeholders.attribute(name) !== expected) throw invalid("Query key condition not supported.")
}

/** Checks where a page starts. @throws DynamoDbError ValidationException when it is outside the range of the query */
function requireWithin({ partition, low, high }: SortRange, start: StoredKey): void {
  const isWithin =
    Buffer.compare(start.partition, partition) === 0 &&
    Buffer.compare(start.sort, low) >= 0 &&
    Buffer.compare(start.sort, high) < 0
  if (!isWithin)
    throw invalid("The provided starting key is outside query boundaries based on provided conditions.")
}

function after(range: SortRange, start: StoredKey | null, isAscending: boolean): SortRange {
  if (start === null) return range
  return isAscending
    ? { ...range, low: Buffer.concat([start.sort, Uint8Array.of(0)]) }
    : { ...range, high: start.sort }
}

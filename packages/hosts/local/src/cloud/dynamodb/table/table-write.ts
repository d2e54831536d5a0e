import { ATTEMPT, type Increment, type Tally } from "@sealway/ports/table"
import { keyOfItem } from "../store/item-key.ts"
import type { ItemStore, TableRecord } from "../store/item-store.ts"
import { readItem, writeItem } from "../store/stored-items.ts"
import { type AttributeValue, type Item, parseItem } from "../values/attribute-value.ts"
import { addDecimals, compareDecimals, type Decimal, formatDecimal, parseDecimal } from "../values/decimal.ts"
import { invalid } from "../values/invalid-record.ts"
import type { TableWrite, TableWritten } from "./table-database.ts"

const NOTHING: TableWritten = { isMade: false, item: null }
const ZERO = parseDecimal("0")
/** What decides whether a record is one's own, see `standingOf`. */
const IDENTIFYING: ReadonlySet<string> = new Set([ATTEMPT, "id", "revision"])

/**
 * Runs a write within a transaction.
 *
 * @throws InvalidRecordError; errors of ItemStore
 */
export function runTableWrite(write: TableWrite, store: ItemStore): TableWritten {
  const table = store.findTable(write.table)
  if (table === null) throw new TypeError("The table exists")
  if (write.kind === "add" || write.kind === "tally") return count(store, table, write)
  const item = parseItem("item" in write ? write.item : write.key)
  const key = keyOfItem(table, item)
  const standing = write.kind === "put" ? null : readItem(store, table, key)
  if (!mayWrite(write, standing)) return { isMade: false, item: standing && identifying(standing) }
  if (write.kind === "remove") store.remove(table, key)
  else writeItem(store, table, item)
  return { isMade: true, item: null }
}

function mayWrite(write: Exclude<TableWrite, { kind: "add" | "tally" }>, standing: Item | null): boolean {
  if (write.kind === "put") return true
  if (write.kind === "create") return standing === null || isExpired(standing, write.now)
  const revision = standing?.get("revision")
  return revision !== undefined && "N" in revision && Number(revision.N) === write.revision
}

function isExpired(item: Item, nowSeconds: number): boolean {
  const expiresAt = item.get("expiresAt")
  return expiresAt !== undefined && "N" in expiresAt && Number(expiresAt.N) <= nowSeconds
}

function count(
  store: ItemStore,
  table: TableRecord,
  write: Extract<TableWrite, { kind: "add" | "tally" }>,
): TableWritten {
  const keyItem = parseItem(write.key)
  const before = readItem(store, table, keyOfItem(table, keyItem)) ?? keyItem
  const { add, remove = [], when, expiresAt } = write.kind === "add" ? tallyOf(write.change) : write.change
  for (const [counter, { min, max }] of Object.entries(when)) {
    const total = decimalAt(before, counter)
    if (min !== undefined && compareDecimals(total, decimalOf(min)) < 0) return NOTHING
    if (max !== undefined && compareDecimals(total, decimalOf(max)) > 0) return NOTHING
  }
  const after = new Map(before)
  for (const [counter, by] of Object.entries(add)) {
    after.set(counter, numberValue(addDecimals(decimalAt(before, counter), decimalOf(by))))
  }
  if (expiresAt !== undefined) after.set("expiresAt", numberValue(decimalOf(expiresAt)))
  for (const counter of remove) after.delete(counter)
  writeItem(store, table, after)
  return { isMade: true, item: Object.fromEntries(after) }
}

function tallyOf({ attribute, amount, limit, expiresAt }: Increment): Tally {
  return { add: { [attribute]: amount }, when: { [attribute]: { max: limit - amount } }, expiresAt }
}

function identifying(item: Item): object {
  return Object.fromEntries([...item].filter(([name]) => IDENTIFYING.has(name)))
}

/** An absent counter counts as 0. @throws TypeError when it is no number */
function decimalAt(item: Item, counter: string): Decimal {
  const value = item.get(counter)
  if (value === undefined) return ZERO
  if (!("N" in value)) throw invalid("A counter must be a number.")
  return parseDecimal(value.N)
}

function decimalOf(number: number): Decimal {
  return parseDecimal(String(number))
}

function numberValue(decimal: Decimal): AttributeValue {
  return { N: formatDecimal(decimal) }
}

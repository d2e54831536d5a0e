import { invalid } from "../dynamodb-error.ts"
import { allowMembers, type RequestMembers } from "../request-members.ts"
import type { ItemStore, StoredKey, TableRecord } from "../store/item-store.ts"
import { expiryOf, readItem } from "../stored-items.ts"
import { json, type Operation, requireTable } from "./operation.ts"

const ITEMS_A_STEP = 1_000

export const describeTimeToLive: Operation = {
  writes: false,
  run(members, store) {
    allowMembers(members, ["TableName"])
    const { timeToLive } = requireTable(members, store)
    return json({
      TimeToLiveDescription:
        timeToLive === null
          ? { TimeToLiveStatus: "DISABLED" }
          : { TimeToLiveStatus: "ENABLED", AttributeName: timeToLive },
    })
  },
}

export const updateTimeToLive: Operation = {
  writes: true,
  run(members, store) {
    allowMembers(members, ["TableName", "TimeToLiveSpecification"])
    const { isEnabled, attribute } = parseSpecification(members)
    const table = requireTable(members, store)
    if (isEnabled === (table.timeToLive !== null)) {
      throw invalid(`TimeToLive is already ${isEnabled ? "enabled" : "disabled"}.`)
    }
    const timeToLive = isEnabled ? attribute : null
    store.setTimeToLive(table, timeToLive)
    noteExpiries(store, { ...table, timeToLive })
    return json({ TimeToLiveSpecification: { Enabled: isEnabled, AttributeName: attribute } })
  },
}

/** For items that existed before. */
function noteExpiries(store: ItemStore, table: TableRecord): void {
  let last: StoredKey | null = null
  for (;;) {
    const keys: readonly StoredKey[] = store.keysAfter(table, last, ITEMS_A_STEP)
    for (const key of keys) {
      const item = readItem(store, table, key)
      if (item !== null) store.setExpiry(table, key, expiryOf(table, item))
    }
    last = keys.at(-1) ?? null
    if (last === null) return
  }
}

function parseSpecification(members: RequestMembers) {
  const value = members.get("TimeToLiveSpecification")
  const given: Record<string, unknown> = typeof value === "object" && value !== null ? { ...value } : {}
  const { Enabled: isEnabled, AttributeName: attribute, ...others } = given
  const isValid = typeof isEnabled === "boolean" && typeof attribute === "string" && attribute !== ""
  if (!isValid || Object.keys(others).length > 0) throw invalid("TimeToLiveSpecification is invalid.")
  return { isEnabled, attribute }
}

import {
  conditionMember,
  EXPRESSION_MEMBERS,
  placeholdersOf,
  requireCondition,
} from "../expression-members.ts"
import { parseKey } from "../item-key.ts"
import { readItem } from "../stored-items.ts"
import { json, type Operation, requireTable } from "./operation.ts"
import { allowWriteMembers, attributesOf, returnValues } from "./write-members.ts"

export const deleteItem: Operation = {
  writes: true,
  run(members, store) {
    allowWriteMembers(members, ["Key", "ConditionExpression", ...EXPRESSION_MEMBERS])
    const returned = returnValues(members, ["NONE", "ALL_OLD"])
    const condition = conditionMember(members)
    const placeholders = placeholdersOf(members, [condition])
    const table = requireTable(members, store)
    const key = parseKey(table, members.get("Key"))
    const before = condition === null && returned === "NONE" ? null : readItem(store, table, key)
    requireCondition(members, condition, before, placeholders)
    store.remove(table, key)
    return json(returned === "ALL_OLD" ? attributesOf(before) : {})
  },
}

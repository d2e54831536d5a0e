import {
  conditionMember,
  EXPRESSION_MEMBERS,
  placeholdersOf,
  requireCondition,
} from "../expression-members.ts"
import { keyOfItem } from "../item-key.ts"
import { readItem, writeItem } from "../stored-items.ts"
import { parseItem } from "../values/attribute-value.ts"
import { json, type Operation, requireTable } from "./operation.ts"
import { allowWriteMembers, attributesOf, returnValues } from "./write-members.ts"

export const putItem: Operation = {
  writes: true,
  run(members, store) {
    allowWriteMembers(members, ["Item", "ConditionExpression", ...EXPRESSION_MEMBERS])
    const returned = returnValues(members, ["NONE", "ALL_OLD"])
    const condition = conditionMember(members)
    const placeholders = placeholdersOf(members, [condition])
    const item = parseItem(members.get("Item"))
    const table = requireTable(members, store)
    const key = keyOfItem(table, item)
    const before = condition === null && returned === "NONE" ? null : readItem(store, table, key)
    requireCondition(members, condition, before, placeholders)
    writeItem(store, table, item)
    return json(returned === "ALL_OLD" ? attributesOf(before) : {})
  },
}

import {
  conditionMember,
  EXPRESSION_MEMBERS,
  placeholdersOf,
  requireCondition,
} from "../expression-members.ts"
import { applyUpdate, checkUpdate } from "../expressions/apply-update.ts"
import { parseUpdate } from "../expressions/update.ts"
import { keyAttributes, parseKey } from "../item-key.ts"
import { textMember } from "../request-members.ts"
import { readItem, writeItem } from "../stored-items.ts"
import { json, type Operation, requireTable } from "./operation.ts"
import { allowWriteMembers, attributesOf, returnValues } from "./write-members.ts"

/** Creates the item if there is none. */
export const updateItem: Operation = {
  writes: true,
  run(members, store) {
    allowWriteMembers(members, ["Key", "UpdateExpression", "ConditionExpression", ...EXPRESSION_MEMBERS])
    const returned = returnValues(members, ["NONE", "ALL_OLD", "ALL_NEW"])
    const update = parseUpdate(textMember(members, "UpdateExpression"))
    const condition = conditionMember(members)
    const placeholders = placeholdersOf(members, [update, condition])
    const table = requireTable(members, store)
    checkUpdate(update.tree, [table.partitionKey, table.sortKey], placeholders)
    const key = parseKey(table, members.get("Key"))
    const before = readItem(store, table, key)
    requireCondition(members, condition, before, placeholders)
    const after = applyUpdate(update.tree, before ?? keyAttributes(table, key), placeholders)
    writeItem(store, table, after)
    if (returned === "NONE") return json({})
    return json(attributesOf(returned === "ALL_NEW" ? after : before))
  },
}

import { parseKey } from "../item-key.ts"
import { allowMembers, booleanMember, choiceMember } from "../request-members.ts"
import { json, type Operation, requireTable } from "./operation.ts"

export const getItem: Operation = {
  writes: false,
  run(members, store) {
    allowMembers(members, ["TableName", "Key", "ConsistentRead", "ReturnConsumedCapacity"])
    booleanMember(members, "ConsistentRead", false)
    choiceMember(members, "ReturnConsumedCapacity", ["NONE"])
    const table = requireTable(members, store)
    const stored = store.read(table, parseKey(table, members.get("Key")))
    return stored === null
      ? json({})
      : Buffer.concat([Buffer.from('{"Item":'), stored.item, Buffer.from("}")])
  },
}

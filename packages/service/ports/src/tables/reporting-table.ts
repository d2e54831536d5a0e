import type { Table } from "./table.ts"

/** The operation of DynamoDB, as IAM names it, that each method of a table takes in the cloud. */
export const TABLE_OPERATIONS: Readonly<Record<keyof Table, string>> = {
  get: "GetItem",
  list: "Query",
  page: "Query",
  create: "PutItem",
  put: "PutItem",
  replace: "PutItem",
  remove: "DeleteItem",
  add: "UpdateItem",
  tally: "UpdateItem",
}

/** Wraps a table that is not DynamoDB's, so that its calls are reported like those to DynamoDB. */
export function reportingTable(table: Table, onCall: (operation: string) => void): Table {
  const reported = (method: keyof Table) => {
    onCall(TABLE_OPERATIONS[method])
    return table
  }
  return {
    get: (...call) => reported("get").get(...call),
    list: (...call) => reported("list").list(...call),
    page: (...call) => reported("page").page(...call),
    create: (...call) => reported("create").create(...call),
    put: (...call) => reported("put").put(...call),
    replace: (...call) => reported("replace").replace(...call),
    remove: (...call) => reported("remove").remove(...call),
    add: (...call) => reported("add").add(...call),
    tally: (...call) => reported("tally").tally(...call),
  }
}

import { serviceEndpoints } from "@sealway/api"
import { MAIN_ENDPOINTS } from "@sealway/api/main-endpoints"
import { grantsOf } from "@sealway/http"
import type { Grant } from "@sealway/ports"
import { RELAY_SERVING_GRANTS } from "@sealway/relay-proxy/lambda"
import { expect, test } from "vitest"
import type { TableWrite } from "../cloud/dynamodb/table/table-database.ts"
import { WORKER_TABLES } from "./cloud-clients.ts"

/** The writes that an action of DynamoDB permits. */
const WRITES: Readonly<Record<string, readonly TableWrite["kind"][]>> = {
  GetItem: [],
  Query: [],
  PutItem: ["put", "create", "replace"],
  DeleteItem: ["remove"],
  UpdateItem: ["add", "tally"],
}

/** Returns what grants permit: by table, the kinds of writes, in alphabetical order. */
function permittedBy(grants: readonly Grant[]): ReadonlyMap<string, readonly string[]> {
  const permitted = new Map<string, Set<string>>()
  for (const grant of grants) {
    const [, action = "", table = ""] = /^dynamodb:(\w+)\/(\w+)$/.exec(grant) ?? []
    // On AWS a function writes the audit log.
    const of = grant === "lambda:InvokeFunction/audit-writer" ? "audit" : table
    if (of === "") continue
    const kinds = permitted.get(of) ?? new Set()
    for (const kind of of === "audit" && table === "" ? ["create"] : (WRITES[action] ?? [])) kinds.add(kind)
    permitted.set(of, kinds)
  }
  return new Map([...permitted].map(([table, kinds]) => [table, [...kinds].sort()]))
}

test("a worker may do with tables what relays and the main endpoints are granted, and nothing else", () => {
  const served = serviceEndpoints.filter(({ id }) => MAIN_ENDPOINTS.has(id))
  expect(served.map(({ id }) => id).sort()).toEqual([...MAIN_ENDPOINTS].sort())
  const granted = permittedBy([...RELAY_SERVING_GRANTS, ...served.flatMap(grantsOf)])
  expect(new Map([...WORKER_TABLES].map(([table, kinds]) => [table, [...kinds].sort()]))).toEqual(granted)
})

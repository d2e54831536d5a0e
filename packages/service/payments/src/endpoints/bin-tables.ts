import { allBinTables, getBinTable as get, deleteBinTable as remove } from "@sealway/bins"
import {
  deletingEndpoint,
  listQuerySchema,
  listReplySchema,
  pageOf,
  readingEndpoint,
  replyOf,
  teamKey,
} from "@sealway/http"
import { TEAM_AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { PaymentDependencies } from "../dependencies.ts"
import { binTablePathSchema, binTableSchema, showBinTable } from "./bin-table-schema.ts"

export const listBinTables = readingEndpoint({
  id: "list-bin-tables",
  path: "/payments/bin-tables",
  tag: "Payments",
  summary: "List the team's BIN tables",
  description: "Newest first, without their rows.",
  auth: [teamKey()],
  request: { query: listQuerySchema("bin_table") },
  schema: listReplySchema(binTableSchema, "BinTableList"),
  reply: "A page of BIN tables",
  grants: ["dynamodb:GetItem/payments", "dynamodb:Query/payments"],
  async read({ principal: { team }, query }, dependencies: PaymentDependencies) {
    return replyOf(pageOf(await allBinTables(dependencies, team.id), query), showBinTable)
  },
})

export const getBinTable = readingEndpoint({
  id: "get-bin-table",
  path: "/payments/bin-tables/{bin_table_id}",
  tag: "Payments",
  summary: "Get a BIN table",
  description: "Tells how many rows it has, and so from where an import goes on.",
  auth: [teamKey()],
  request: { path: binTablePathSchema },
  schema: binTableSchema,
  reply: "The BIN table",
  grants: ["dynamodb:GetItem/payments"],
  async read({ principal: { team }, path }, dependencies: PaymentDependencies) {
    return showBinTable(await get(dependencies, team.id, path.bin_table_id))
  },
})

export const deleteBinTable = deletingEndpoint({
  id: "delete-bin-table",
  path: "/payments/bin-tables/{bin_table_id}",
  tag: "Payments",
  summary: "Delete a BIN table",
  description: "Deletes its rows too. The active table cannot be deleted.",
  auth: [teamKey()],
  request: { path: binTablePathSchema },
  reply: "The BIN table is deleted",
  grants: [
    ...(["dynamodb:GetItem/payments", "dynamodb:Query/payments"] as const),
    ...(["dynamodb:PutItem/payments", "dynamodb:DeleteItem/payments"] as const),
    ...TEAM_AUDIT_GRANTS,
  ],
  async remove({ principal: { team }, path, caller }, dependencies: PaymentDependencies) {
    await remove(dependencies, team.id, path.bin_table_id, authorOf(caller))
  },
})

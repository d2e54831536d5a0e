import { allBinTables } from "@sealway/bins"
import { endpoint, listQuerySchema, listReplySchema, pageOf, replyOf, teamKey } from "@sealway/http"
import type { PaymentDependencies } from "../dependencies.ts"
import { binTableSchema, showBinTable } from "./bin-table-schema.ts"

export const listBinTables = endpoint({
  id: "list-bin-tables",
  method: "GET",
  path: "/payments/bin-tables",
  tag: "Payments",
  summary: "List the team's BIN tables",
  description: "Newest first, without their rows.",
  auth: [teamKey()],
  reveals: "nothing",
  request: { query: listQuerySchema("bin_table") },
  status: 200,
  reply: {
    kind: "object",
    schema: listReplySchema(binTableSchema, "BinTableList"),
    description: "A page of BIN tables",
  },
  errors: ["invalid-request"],
  grants: ["dynamodb:GetItem/payments", "dynamodb:Query/payments"],
  async answer({ principal: { team }, query }, dependencies: PaymentDependencies) {
    return { body: replyOf(pageOf(await allBinTables(dependencies, team.id), query), showBinTable) }
  },
})

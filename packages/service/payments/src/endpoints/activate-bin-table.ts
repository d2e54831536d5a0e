import { activateBinTable as activate } from "@sealway/bins"
import { endpoint, teamKey } from "@sealway/http"
import { TEAM_AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { PaymentDependencies } from "../dependencies.ts"
import { binTablePathSchema, binTableSchema, showBinTable } from "./bin-table-schema.ts"

export const activateBinTable = endpoint({
  id: "activate-bin-table",
  method: "POST",
  path: "/payments/bin-tables/{bin_table_id}/activate",
  tag: "Payments",
  summary: "Activate a BIN table",
  description:
    "Within 10 seconds, lookups of the team's apps use this table instead of the active one. The previous table is kept: activate it again to go back. An activated table accepts no more rows.",
  auth: [teamKey()],
  reveals: "nothing",
  writes: true,
  request: { path: binTablePathSchema },
  status: 200,
  reply: { kind: "object", schema: binTableSchema, description: "The BIN table" },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/payments", "dynamodb:PutItem/payments", ...TEAM_AUDIT_GRANTS],
  async answer({ principal: { team }, path, caller }, dependencies: PaymentDependencies) {
    const table = await activate(dependencies, team.id, path.bin_table_id, authorOf(caller))
    return { body: showBinTable(table) }
  },
})

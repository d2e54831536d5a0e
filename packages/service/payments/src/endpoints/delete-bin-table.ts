import { deleteBinTable as remove } from "@sealway/bins"
import { endpoint, teamKey } from "@sealway/http"
import { TEAM_AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import type { PaymentDependencies } from "../dependencies.ts"
import { binTablePathSchema } from "./bin-table-schema.ts"

export const deleteBinTable = endpoint({
  id: "delete-bin-table",
  method: "DELETE",
  path: "/payments/bin-tables/{bin_table_id}",
  tag: "Payments",
  summary: "Delete a BIN table",
  description: "Deletes its rows too. The active table cannot be deleted.",
  auth: [teamKey()],
  reveals: "nothing",
  writes: true,
  request: { path: binTablePathSchema },
  status: 204,
  reply: { kind: "none", description: "The BIN table is deleted" },
  errors: ["not-found", "conflict"],
  grants: [
    ...(["dynamodb:GetItem/payments", "dynamodb:Query/payments"] as const),
    ...(["dynamodb:PutItem/payments", "dynamodb:DeleteItem/payments"] as const),
    ...TEAM_AUDIT_GRANTS,
  ],
  async answer({ principal: { team }, path, caller }, dependencies: PaymentDependencies) {
    await remove(dependencies, team.id, path.bin_table_id, authorOf(caller))
    return { body: null }
  },
})

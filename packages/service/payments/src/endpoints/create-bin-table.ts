import { addBinTable } from "@sealway/bins"
import { endpoint, teamKey } from "@sealway/http"
import { TEAM_AUDIT_GRANTS } from "@sealway/ports"
import { authorOf } from "@sealway/records"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import { binTableNameSchema, binTableSchema, MAX_PARAMETER_BYTES, showBinTable } from "./bin-table-schema.ts"

export const createBinTable = endpoint({
  id: "create-bin-table",
  method: "POST",
  path: "/payments/bin-tables",
  tag: "Payments",
  summary: "Create a BIN table",
  description:
    "Add rows with `PUT /payments/bin-tables/{bin_table_id}/rows`, then activate the table: it serves lookups of all the team's apps. A team can have ten tables.",
  auth: [teamKey()],
  reveals: "nothing",
  writes: true,
  request: {
    body: {
      kind: "object",
      schema: z.strictObject({ name: binTableNameSchema }),
      maxBytes: MAX_PARAMETER_BYTES,
    },
  },
  status: 201,
  reply: { kind: "object", schema: binTableSchema, description: "The BIN table" },
  errors: ["conflict"],
  grants: [
    ...(["dynamodb:GetItem/payments", "dynamodb:Query/payments"] as const),
    ...(["dynamodb:PutItem/payments", "dynamodb:DeleteItem/payments"] as const),
    ...TEAM_AUDIT_GRANTS,
  ],
  async answer({ principal: { team }, body, caller }, dependencies: PaymentDependencies) {
    return { body: showBinTable(await addBinTable(dependencies, team.id, body.name, authorOf(caller))) }
  },
})

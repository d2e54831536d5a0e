import { getBinTable as get } from "@sealway/bins"
import { endpoint, teamKey } from "@sealway/http"
import type { PaymentDependencies } from "../dependencies.ts"
import { binTablePathSchema, binTableSchema, showBinTable } from "./bin-table-schema.ts"

export const getBinTable = endpoint({
  id: "get-bin-table",
  method: "GET",
  path: "/payments/bin-tables/{bin_table_id}",
  tag: "Payments",
  summary: "Get a BIN table",
  description: "Tells how many rows it has, and so from where an import goes on.",
  auth: [teamKey()],
  reveals: "nothing",
  request: { path: binTablePathSchema },
  status: 200,
  reply: { kind: "object", schema: binTableSchema, description: "The BIN table" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/payments"],
  async answer({ principal: { team }, path }, dependencies: PaymentDependencies) {
    return { body: showBinTable(await get(dependencies, team.id, path.bin_table_id)) }
  },
})

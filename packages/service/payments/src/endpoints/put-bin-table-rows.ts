import { appendRows, MAX_ROWS } from "@sealway/bins"
import { endpoint, teamKey } from "@sealway/http"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import { binTablePathSchema } from "./bin-table-schema.ts"

const querySchema = z.strictObject({
  from: z
    .stringFormat("row number", /^[0-9]{1,7}$/)
    .transform(Number)
    .pipe(z.int().min(0).max(MAX_ROWS))
    .meta({
      description: "Number of rows in the table before the first row of this request",
      override: { type: "integer", minimum: 0, maximum: MAX_ROWS },
    }),
})

export const putBinTableRows = endpoint({
  id: "put-bin-table-rows",
  method: "PUT",
  path: "/payments/bin-tables/{bin_table_id}/rows",
  tag: "Payments",
  summary: "Add rows to a BIN table",
  description:
    "Rows are JSON objects, one per line, up to 4 MB and 50,000 rows per request: `{from, to, brand}`, where `from` and `to` are the first 6 to 10 digits of the lowest and the highest number. Optional fields: `funding`, `segment`, `country`, `currency`, `issuer`, `productName`, `type`, `fastFunds`, `threeDS`. Sort rows by `from`; if one row's `from` is a prefix of another's, put the shorter one first. Ranges of the same length must not overlap. Rows that the table already has are skipped, so a request can be retried.",
  auth: [teamKey()],
  reveals: "nothing",
  writes: true,
  request: {
    path: binTablePathSchema,
    query: querySchema,
    body: { kind: "document", formats: ["lines"], description: "Rows, one per line" },
  },
  status: 200,
  reply: {
    kind: "object",
    schema: z.object({ rows: z.int().describe("Number of rows in the table") }).meta({ id: "BinTableRows" }),
    description: "The table's progress",
  },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/payments", "dynamodb:PutItem/payments"],
  async answer({ principal: { team }, path, query, body, task }, dependencies: PaymentDependencies) {
    const place = { teamId: team.id, tableId: path.bin_table_id }
    return { body: { rows: await appendRows(dependencies, place, query.from, body.bytes, task) } }
  },
})

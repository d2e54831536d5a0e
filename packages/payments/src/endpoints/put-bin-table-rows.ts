import { endpoint, teamKey } from "@sealway/platform"
import * as z from "zod"
import { appendRows, MAX_ROWS } from "../bins/append-rows.ts"
import type { PaymentDependencies } from "../dependencies.ts"
import { binTablePathSchema } from "./bin-table-schema.ts"

const querySchema = z.strictObject({
  from: z
    .stringFormat("row number", /^[0-9]{1,7}$/)
    .transform(Number)
    .pipe(z.int().min(0).max(MAX_ROWS))
    .meta({
      description: "How many rows of the table come before the first one of the request",
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
    "Rows are JSON objects, one a line, of 4 MB and 50,000 rows at most: `{from, to, brand}`, where `from` and `to` are the first 6 to 10 digits of the lowest and the highest number, and what else is known: `funding`, `segment`, `country`, `currency`, `issuer`, `productName`, `type`, `fastFunds`, `threeDS`. They are sorted by `from`, of rows that begin alike the shorter one first, and ranges of the same length do not overlap. Rows that the table has already are passed over, so that a request may be repeated.",
  auth: [teamKey()],
  writes: true,
  request: {
    path: binTablePathSchema,
    query: querySchema,
    headers: z.object({}),
    body: { kind: "document", formats: ["lines"], description: "Rows, one a line" },
  },
  status: 200,
  reply: {
    kind: "object",
    schema: z
      .object({ rows: z.int().describe("How many rows the table has now") })
      .meta({ id: "BinTableRows" }),
    description: "How far the table has come",
  },
  errors: ["not-found", "conflict"],
  grants: ["dynamodb:GetItem/payments", "dynamodb:PutItem/payments"],
  async answer({ principal: { team }, path, query, body }, dependencies: PaymentDependencies) {
    const place = { teamId: team.id, tableId: path.bin_table_id }
    return { body: { rows: await appendRows(dependencies, place, query.from, body.bytes) } }
  },
})

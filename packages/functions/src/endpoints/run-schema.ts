import { type Document, idParameter } from "@sealway/platform"
import * as z from "zod"
import type { FunctionRun } from "../records/run-table.ts"
import { functionPathSchema } from "./function-schema.ts"

export const runPathSchema = functionPathSchema.extend({ run_id: idParameter("func_run", "Id of the run") })

export const errorSchema = z.object({ message: z.string(), stack: z.string() })

/** The request body, for the OpenAPI document. `readRunRequest` parses it. */
export const runRequestSchema = z
  .strictObject({
    payload: z
      .record(z.string(), z.unknown())
      .describe("The function's argument; its tokens are decrypted first"),
    async: z.boolean().nullish().describe("`true`: queue the run and respond at once"),
  })
  .meta({ id: "FunctionRunRequest" })

/** The answer to a synchronous run. */
export const runReplySchema = z
  .object({
    id: z.string(),
    status: z.enum(["success", "failure"]),
    result: z.unknown().optional().describe("The function's result, if `success`"),
    error: errorSchema.optional().describe("The function's error, if `failure`"),
    createdAt: z.int().describe("Epoch milliseconds"),
  })
  .meta({ id: "FunctionRun" })

export const scheduledSchema = z
  .object({ status: z.literal("scheduled") })
  .meta({ id: "ScheduledFunctionRun" })

const keptFields = {
  id: z.string(),
  status: z.enum(["scheduled", "success", "failure"]),
  createdAt: z.int().describe("Epoch milliseconds"),
  completedAt: z.int().nullable().describe("Epoch milliseconds; null while scheduled"),
}

/** An asynchronous run, without its outcome. */
export const runSummarySchema = z.object(keptFields).meta({ id: "FunctionRunSummary" })

/** An asynchronous run, with its outcome. */
export const keptRunSchema = z
  .object({
    ...keptFields,
    result: z.unknown().optional().describe("The function's result, if `success`"),
    error: errorSchema.optional().describe("The error, if `failure`"),
  })
  .meta({ id: "AsynchronousFunctionRun" })

export function showRunSummary({ id, status, createdAt, completedAt }: FunctionRun) {
  return { id, status, createdAt, completedAt }
}

export function scheduledDocument(): Document {
  return { format: "json", bytes: Buffer.from('{"status":"scheduled"}') }
}

/**
 * Writes the JSON of a run, with its outcome byte for byte as the function wrote it.
 *
 * @param outcome from `outcomeMembers`; null while there is none
 */
export function runDocument(
  id: string,
  outcome: Uint8Array | null,
  rest: {
    readonly createdAt: number
    readonly completedAt?: number | null
    readonly [name: string]: unknown
  },
): Document {
  const members = outcome ?? Buffer.from('"status":"scheduled"')
  const behind = JSON.stringify(rest).slice(1)
  const bytes = Buffer.concat([
    Buffer.from(`{"id":${JSON.stringify(id)},`),
    members,
    Buffer.from(`,${behind}`),
  ])
  return { format: "json", bytes }
}

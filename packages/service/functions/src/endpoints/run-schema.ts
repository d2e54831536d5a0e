import { type Document, idParameter } from "@sealway/http"
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

const timeSchema = z.int().describe("Epoch milliseconds")
const startedFields = { id: z.string(), createdAt: timeSchema }
const waitingFields = { ...startedFields, status: z.literal("scheduled"), completedAt: z.null() }
const endedFields = { ...startedFields, completedAt: timeSchema }
const success = { status: z.literal("success"), result: z.unknown().describe("The function's result") }
const failure = { status: z.literal("failure"), error: errorSchema.describe("The function's error") }

export const successfulRunSchema = z
  .object({ ...startedFields, ...success })
  .meta({ id: "SuccessfulFunctionRun" })

/** The answer to a synchronous run. */
export const runReplySchema = z
  .discriminatedUnion("status", [
    successfulRunSchema,
    z.object({ ...startedFields, ...failure }).meta({ id: "FailedFunctionRun" }),
  ])
  .meta({ id: "FunctionRun" })

export const scheduledSchema = z
  .object({ status: z.literal("scheduled") })
  .meta({ id: "ScheduledFunctionRun" })

/** An asynchronous run, without its outcome. */
export const runSummarySchema = z
  .object({
    ...startedFields,
    status: z.enum(["scheduled", "success", "failure"]),
    completedAt: z.int().nullable().describe("Epoch milliseconds; null while scheduled"),
  })
  .meta({ id: "FunctionRunSummary" })

/** An asynchronous run, with its outcome. */
export const keptRunSchema = z
  .discriminatedUnion("status", [
    z.object(waitingFields).meta({ id: "WaitingAsynchronousFunctionRun" }),
    z.object({ ...endedFields, ...success }).meta({ id: "SuccessfulAsynchronousFunctionRun" }),
    z.object({ ...endedFields, ...failure }).meta({ id: "FailedAsynchronousFunctionRun" }),
  ])
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

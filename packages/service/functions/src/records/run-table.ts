import { actorSchema } from "@sealway/accounts"
import { type RecordOf, type RecordPage, type RecordPageRequest, recordsOf, type Table } from "@sealway/ports"
import * as z from "zod"

/** The sender of the request for a run. Policies decide by it when the run starts. */
const requesterSchema = z.object({
  actor: actorSchema,
  ip: z.string(),
  requestId: z.string(),
  apiKeyId: z.string(),
  trace: z
    .object({ traceId: z.string(), flags: z.number(), tracestate: z.string().nullable() })
    .nullable()
    .exactOptional(),
})

/** A run that was accepted for later. */
const runSchema = z.object({
  id: z.string(),
  appId: z.string(),
  teamId: z.string(),
  functionId: z.string(),
  functionName: z.string(),
  status: z.enum(["scheduled", "success", "failure"]),
  requester: requesterSchema,
  /** How often the code was about to be called. */
  attempts: z.number(),
  /** How often it failed through a fault of the service. */
  setbacks: z.number(),
  /** Epoch milliseconds until which an attempt counts as in progress; null when none is. */
  claimedUntil: z.number().nullable(),
  /** The callback URL: as set when the run ended. */
  callbackUrl: z.string().nullable(),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  /** Epoch milliseconds; null while scheduled. */
  completedAt: z.number().nullable(),
  /** Epoch seconds. */
  expiresAt: z.number(),
  revision: z.number(),
})

export type RunRequester = RecordOf<typeof requesterSchema>
export type FunctionRun = RecordOf<typeof runSchema>

const prefixOf = (functionId: string) => `${functionId}#`

export const runRecords = recordsOf<FunctionRun, "functionId" | "id">({
  prefix: "function-run#",
  schema: runSchema,
  nameOf: ({ functionId, id }) => prefixOf(functionId) + id,
})

/** Lists the runs of a function, newest first. */
export function pageRuns(
  table: Table,
  appId: string,
  functionId: string,
  request: RecordPageRequest,
): Promise<RecordPage<FunctionRun>> {
  return runRecords.page(table, appId, request, prefixOf(functionId))
}

import { MAX_DESTINATION_URL_CHARACTERS } from "@sealway/kernel"
import { LANGUAGES } from "@sealway/ports"
import * as z from "zod"
import { FUNCTION_NAME, type FunctionRecord } from "../records/function-table.ts"

export const nameSchema = z
  .stringFormat("function-name", FUNCTION_NAME)
  .describe("Up to 60 lower-case letters, digits and dashes; unique in the app")

/** The schema of a function name in a path. A malformed name is answered with 404. */
export const functionPathSchema = z.object({
  function_name: z.string().meta({ description: "Name of the function", pattern: FUNCTION_NAME.source }),
})

const DEFAULT_TIMEOUT_SECONDS = 30
const DEFAULT_MEMORY_MB = 256

export const settingsFields = {
  language: z.enum(LANGUAGES),
  handler: z
    .stringFormat("handler", /^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$/)
    .max(200)
    .describe("Path in the zip of the file that exports `handler`"),
  timeoutSeconds: z.int().min(1).max(900).default(DEFAULT_TIMEOUT_SECONDS).describe("Time limit of a run"),
  memoryMb: z.int().min(128).max(3008).default(DEFAULT_MEMORY_MB),
  callbackUrl: z
    .string()
    .max(MAX_DESTINATION_URL_CHARACTERS)
    .nullable()
    .default(null)
    .describe(
      "Receives a POST when an asynchronous run has ended. Must be https, without credentials, at a public address",
    ),
}

export const functionSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    language: z.string(),
    handler: z.string(),
    timeoutSeconds: z.int(),
    memoryMb: z.int(),
    callbackUrl: z.string().nullable(),
    status: z
      .enum(["deploying", "ready", "failed"])
      .describe(
        "Status of the latest deployment. While it is deploying, and after it failed, the active deployment serves",
      ),
    deployment: z.int().describe("Number of the latest deployment, from 1"),
    activeDeployment: z.int().nullable().describe("Number of the active deployment; null if there is none"),
    lastError: z.string().nullable().describe("Why the latest deployment failed"),
    createdAt: z.int().describe("Epoch milliseconds"),
    updatedAt: z.int().describe("Epoch milliseconds"),
    revision: z.int().describe("Counts changes"),
  })
  .meta({ id: "Function" })

/** Shows a function. Its settings are those of the serving deployment, or of the first one. */
export function showFunction(record: FunctionRecord): z.infer<typeof functionSchema> {
  const { id, name, latest, active, status, lastError, createdAt, updatedAt, revision } = record
  const { language, handler, timeoutSeconds, memoryMb, callbackUrl } = active ?? latest
  return {
    id,
    name,
    language,
    handler,
    timeoutSeconds,
    memoryMb,
    callbackUrl,
    status: status === "deleting" ? "failed" : status,
    deployment: latest.number,
    activeDeployment: active?.number ?? null,
    lastError,
    createdAt,
    updatedAt,
    revision,
  }
}

import { type RecordOf, recordsOf, type Table } from "@sealway/platform"
import * as z from "zod"
import { LANGUAGES } from "../host/language.ts"

/** What functions may be called. */
export const FUNCTION_NAME = /^[a-z0-9-]{1,60}$/

/** How a function is to run, as its owner says. */
const settingsSchema = z.object({
  language: z.enum(LANGUAGES),
  /** The file that holds `handler`, by its path in the zip. */
  handler: z.string(),
  timeoutSeconds: z.number(),
  memoryMb: z.number(),
  /** Told when an asynchronous run has ended; null for nobody. */
  callbackUrl: z.string().nullable(),
})

/** One version of a function's code. */
const deploymentSchema = settingsSchema.extend({
  /** From 1. */
  number: z.number(),
  /** The host's name for the program that it becomes. */
  programName: z.string(),
  /** Where its source is kept. */
  codeKey: z.string(),
  /** Epoch milliseconds. */
  createdAt: z.number(),
})

/** A program that serves no more, and when nobody can be calling it any longer. */
const retiredSchema = z.object({
  programName: z.string(),
  codeKey: z.string(),
  /** Epoch milliseconds. */
  removeAt: z.number(),
})

/** An event that follows from what is written in the same record, and is to be published. */
const announcementSchema = z.object({
  id: z.string(),
  type: z.enum([
    "function.deployment.started",
    "function.deployment.updated",
    "function.deployment.finished",
  ]),
  deployment: z.number(),
  status: z.enum(["deploying", "ready", "failed"]),
  error: z.string().nullable(),
})

const functionSchema = z.object({
  id: z.string(),
  appId: z.string(),
  teamId: z.string(),
  /** One function of an app has it. */
  name: z.string(),
  /** What is to serve, and does once it is ready. */
  latest: deploymentSchema,
  /** What serves; null when nothing does yet. */
  active: deploymentSchema.nullable(),
  /** What became of `latest`. `deleting`: the function is gone for everybody but who cleans up. */
  status: z.enum(["deploying", "ready", "failed", "deleting"]),
  /** Whether the program of `latest` was made. */
  isCreated: z.boolean(),
  /** Times that the deployment of `latest` went wrong for a reason that may pass. */
  setbacks: z.number(),
  /** Why `latest` failed; null unless it did. */
  lastError: z.string().nullable(),
  retired: z.array(retiredSchema),
  announcements: z.array(announcementSchema),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  /** Epoch milliseconds. */
  updatedAt: z.number(),
  revision: z.number(),
})

export type FunctionSettings = RecordOf<typeof settingsSchema>
export type Deployment = RecordOf<typeof deploymentSchema>
export type DeploymentEventType = z.infer<typeof announcementSchema>["type"]
export type FunctionRecord = RecordOf<typeof functionSchema>

/** An app has one function of each name. Those that are being deleted are among them. */
export const functionRecords = recordsOf<FunctionRecord, "name">({
  prefix: "function#",
  schema: functionSchema,
  nameOf: ({ name }) => name,
})

/** The function of a name that came in a path; null when the app has none. One that is being deleted is found. */
export async function findFunction(
  table: Table,
  appId: string,
  name: string,
): Promise<FunctionRecord | null> {
  // A table takes no key of any length.
  return FUNCTION_NAME.test(name) ? functionRecords.find(table, appId, { name }) : null
}

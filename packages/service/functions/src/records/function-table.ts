import { LANGUAGES, type RecordOf, recordsOf, type Table } from "@sealway/ports"
import * as z from "zod"

/** The names that functions can have. */
export const FUNCTION_NAME = /^[a-z0-9-]{1,60}$/

/** The settings of a function, given by its owner. */
const settingsSchema = z.object({
  language: z.enum(LANGUAGES),
  /** The file that exports `handler`, by its path in the zip. */
  handler: z.string(),
  timeoutSeconds: z.number(),
  memoryMb: z.number(),
  /** Called when an asynchronous run has ended; null for none. */
  callbackUrl: z.string().nullable(),
})

/** One version of a function's code. */
const deploymentSchema = settingsSchema.extend({
  /** Starts at 1. */
  number: z.number(),
  /** The host's name for the program of this deployment. */
  programName: z.string(),
  /** Where its source is stored. */
  codeKey: z.string(),
  /** Whether its processes can be told to log nothing. Not those that an earlier release has created. */
  canBeSilent: z.boolean().default(false),
  /** Epoch milliseconds. */
  createdAt: z.number(),
})

/** A program that no longer serves, and when nobody can be calling it any more. */
const retiredSchema = z.object({
  programName: z.string(),
  codeKey: z.string(),
  /** Epoch milliseconds. */
  removeAt: z.number(),
})

/** An event that follows from what the same record says, and is still to be published. */
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
  /** Unique within the app. */
  name: z.string(),
  /** The deployment that serves once it is ready. */
  latest: deploymentSchema,
  /** The deployment that serves; null before the first one. */
  active: deploymentSchema.nullable(),
  /** The state of `latest`. `deleting`: the function is gone, except for cleaning up. */
  status: z.enum(["deploying", "ready", "failed", "deleting"]),
  /** Whether the program of `latest` was created. */
  isCreated: z.boolean(),
  /** How often the deployment of `latest` failed for a temporary reason. */
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

/** An app has one function of each name, including those being deleted. */
export const functionRecords = recordsOf<FunctionRecord, "name">({
  prefix: "function#",
  schema: functionSchema,
  nameOf: ({ name }) => name,
})

/** Finds the function with a name from a path, even one being deleted; null when the app has none. */
export async function findFunction(
  table: Table,
  appId: string,
  name: string,
): Promise<FunctionRecord | null> {
  // DynamoDB limits the length of keys.
  return FUNCTION_NAME.test(name) ? functionRecords.find(table, appId, { name }) : null
}

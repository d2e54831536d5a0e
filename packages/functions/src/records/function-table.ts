import { appPartition, type Item, type RecordKey, type Table } from "@sealway/platform"
import * as z from "zod"
import { LANGUAGES } from "../host/language.ts"
import { FUNCTION_NAME, type FunctionRecord } from "./function.ts"

const PREFIX = "function#"

const deploymentSchema = z.object({
  language: z.enum(LANGUAGES),
  handler: z.string(),
  timeoutSeconds: z.number(),
  memoryMb: z.number(),
  callbackUrl: z.string().nullable(),
  number: z.number(),
  programName: z.string(),
  codeKey: z.string(),
  createdAt: z.number(),
})

const itemSchema = z.object({
  id: z.string(),
  appId: z.string(),
  teamId: z.string(),
  name: z.string(),
  latest: deploymentSchema,
  active: deploymentSchema.nullable(),
  status: z.enum(["deploying", "ready", "failed", "deleting"]),
  isCreated: z.boolean(),
  setbacks: z.number(),
  lastError: z.string().nullable(),
  retired: z.array(z.object({ programName: z.string(), codeKey: z.string(), removeAt: z.number() })),
  announcements: z.array(
    z.object({
      id: z.string(),
      type: z.enum([
        "function.deployment.started",
        "function.deployment.updated",
        "function.deployment.finished",
      ]),
      deployment: z.number(),
      status: z.enum(["deploying", "ready", "failed"]),
      error: z.string().nullable(),
    }),
  ),
  createdAt: z.number(),
  updatedAt: z.number(),
  revision: z.number(),
})

/** By name: an app has one function of each. */
const keyOf = (appId: string, name: string): RecordKey => ({ pk: appPartition(appId), sk: PREFIX + name })

const parse = (item: Item): FunctionRecord => itemSchema.parse(item)

/** Null when the app has no function of this name. One that is being deleted is found. */
export async function findFunctionRecord(
  table: Table,
  appId: string,
  name: string,
): Promise<FunctionRecord | null> {
  // Whatever stands in a path comes here; a table takes no key of any length.
  const item = FUNCTION_NAME.test(name) ? await table.get(keyOf(appId, name)) : null
  return item && parse(item)
}

/** All functions of an app, also those that are being deleted. */
export async function listFunctionRecords(table: Table, appId: string): Promise<readonly FunctionRecord[]> {
  return (await table.list(appPartition(appId), PREFIX)).map(parse)
}

/** False: there is one of this name. */
export function createFunctionRecord(table: Table, record: FunctionRecord): Promise<boolean> {
  return table.create(keyOf(record.appId, record.name), { ...record })
}

/** Writes a function over the revision that it was made from. False: that one was changed or removed meanwhile. */
export function replaceFunctionRecord(table: Table, record: FunctionRecord): Promise<boolean> {
  return table.replace(keyOf(record.appId, record.name), { ...record }, record.revision)
}

/** False: it was changed or removed meanwhile. */
export function removeFunctionRecord(table: Table, record: FunctionRecord): Promise<boolean> {
  return table.remove(keyOf(record.appId, record.name), record.revision)
}

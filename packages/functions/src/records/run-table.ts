import {
  appPartition,
  type Item,
  type Page,
  type PageRequest,
  type RecordKey,
  type Table,
} from "@sealway/platform"
import * as z from "zod"
import type { FunctionRun } from "./run.ts"

const itemSchema = z.object({
  id: z.string(),
  appId: z.string(),
  teamId: z.string(),
  functionId: z.string(),
  functionName: z.string(),
  status: z.enum(["scheduled", "success", "failure"]),
  requester: z.object({
    actor: z.object({
      type: z.enum(["api-key", "team-key", "client-side-token", "run-token", "system"]),
      id: z.string(),
    }),
    ip: z.string(),
    requestId: z.string(),
    apiKeyId: z.string(),
  }),
  attempts: z.number(),
  setbacks: z.number(),
  claimedUntil: z.number().nullable(),
  callbackUrl: z.string().nullable(),
  createdAt: z.number(),
  completedAt: z.number().nullable(),
  expiresAt: z.number(),
  revision: z.number(),
})

const prefixOf = (functionId: string) => `function-run#${functionId}#`

const keyOf = ({ appId, functionId, id }: Pick<FunctionRun, "appId" | "functionId" | "id">): RecordKey => ({
  pk: appPartition(appId),
  sk: prefixOf(functionId) + id,
})

export const parseRun = (item: Item): FunctionRun => itemSchema.parse(item)

export async function findRun(
  table: Table,
  place: Pick<FunctionRun, "appId" | "functionId" | "id">,
): Promise<FunctionRun | null> {
  const item = await table.get(keyOf(place))
  return item && parseRun(item)
}

/** Runs of a function, newest first. @param request.after a run's id */
export function pageRuns(
  table: Table,
  appId: string,
  functionId: string,
  { limit, after }: PageRequest,
): Promise<Page> {
  const prefix = prefixOf(functionId)
  return table.page(appPartition(appId), prefix, { limit, after: after && prefix + after })
}

/** False: there is one of this id. */
export function createRun(table: Table, run: FunctionRun): Promise<boolean> {
  return table.create(keyOf(run), { ...run })
}

/**
 * Writes a run over the revision that it was made from.
 *
 * @returns what is stored now; null when that revision was changed meanwhile
 */
export async function replaceRun(table: Table, run: FunctionRun): Promise<FunctionRun | null> {
  const isReplaced = await table.replace(keyOf(run), { ...run }, run.revision)
  return isReplaced ? { ...run, revision: run.revision + 1 } : null
}

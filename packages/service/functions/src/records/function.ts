import { createId } from "@sealway/kernel"
import type { Deployment, DeploymentEventType, FunctionRecord } from "./function-table.ts"

/** For callers that have just read that a program serves, and call it now. */
const GRACE_MS = 30_000
/** For a worker that is creating a program which is no longer wanted. */
const CREATION_MS = 5 * 60_000

/** Returns a function with its first deployment. */
export function firstDeployment(
  place: Pick<FunctionRecord, "id" | "appId" | "teamId" | "name">,
  latest: Deployment,
): FunctionRecord {
  const { createdAt } = latest
  return announce(
    {
      ...place,
      latest,
      active: null,
      status: "deploying",
      isCreated: false,
      setbacks: 0,
      lastError: null,
      retired: [],
      announcements: [],
      createdAt,
      updatedAt: createdAt,
      revision: 1,
    },
    "function.deployment.started",
    createdAt,
  )
}

/**
 * Returns the function with a new deployment in progress. The serving one keeps serving; an unfinished one is given up.
 */
export function nextDeployment(record: FunctionRecord, latest: Deployment): FunctionRecord {
  const { createdAt: nowMs } = latest
  const isSuperseded = record.status === "deploying"
  return announce(
    {
      ...record,
      latest,
      status: "deploying",
      isCreated: false,
      setbacks: 0,
      lastError: null,
      retired: isSuperseded ? retire(record, record.latest, nowMs + CREATION_MS) : record.retired,
      updatedAt: nowMs,
    },
    "function.deployment.started",
    nowMs,
  )
}

/** Returns the function once the program of its latest deployment is created, before it can be called. */
export function created(record: FunctionRecord, nowMs: number): FunctionRecord {
  const latest = { ...record.latest, canBeSilent: true }
  return announce({ ...record, latest, isCreated: true }, "function.deployment.updated", nowMs)
}

/** Returns the function once its latest deployment serves. */
export function activated(record: FunctionRecord, nowMs: number): FunctionRecord {
  const { active, latest } = record
  const retired =
    active === null ? record.retired : retire(record, active, nowMs + active.timeoutSeconds * 1000 + GRACE_MS)
  return announce(
    { ...record, active: latest, status: "ready", retired, updatedAt: nowMs },
    "function.deployment.finished",
    nowMs,
  )
}

/** Returns the function once its latest deployment has failed. The one that served before keeps serving. */
export function failed(record: FunctionRecord, lastError: string, nowMs: number): FunctionRecord {
  const retired = retire(record, record.latest, nowMs)
  return announce(
    { ...record, status: "failed", lastError, retired, updatedAt: nowMs },
    "function.deployment.finished",
    nowMs,
  )
}

/** Returns the function once it is deleted and must be cleaned up. */
export function deleted(record: FunctionRecord, nowMs: number): FunctionRecord {
  const { active, latest, status } = record
  const served = active === null ? record.retired : retire(record, active, nowMs)
  const retired =
    status === "deploying" ? retire({ ...record, retired: served }, latest, nowMs + CREATION_MS) : served
  return { ...record, active: null, status: "deleting", retired, updatedAt: nowMs }
}

function retire(
  { retired }: FunctionRecord,
  { programName, codeKey }: Deployment,
  removeAt: number,
): FunctionRecord["retired"] {
  return [...retired, { programName, codeKey, removeAt }]
}

function announce(record: FunctionRecord, type: DeploymentEventType, nowMs: number): FunctionRecord {
  const { latest, lastError: error, status } = record
  const announcement: FunctionRecord["announcements"][number] = {
    id: createId("webhook_event", nowMs),
    type,
    deployment: latest.number,
    status: status === "deleting" ? "failed" : status,
    error,
  }
  return { ...record, announcements: [...record.announcements, announcement] }
}

import { createId } from "@sealway/kernel"
import type { Deployment, DeploymentEventType, FunctionRecord } from "./function-table.ts"

/** For who has read that a program serves, just before it did not, and calls it now. */
const GRACE_MS = 30_000
/** For a worker that is making a program which is not wanted any more. */
const CREATION_MS = 5 * 60_000

/** A function that is deployed for the first time. */
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

/** The function with another deployment under way. What serves goes on serving; what was under way is given up. */
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

/** The function once the program of its latest deployment is made, and before it can be called. */
export function created(record: FunctionRecord, nowMs: number): FunctionRecord {
  return announce({ ...record, isCreated: true }, "function.deployment.updated", nowMs)
}

/** The function once its latest deployment serves. */
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

/** The function once its latest deployment has failed. What served before goes on serving. */
export function failed(record: FunctionRecord, lastError: string, nowMs: number): FunctionRecord {
  const retired = retire(record, record.latest, nowMs)
  return announce(
    { ...record, status: "failed", lastError, retired, updatedAt: nowMs },
    "function.deployment.finished",
    nowMs,
  )
}

/** The function once it is deleted and is still to be cleaned up after. */
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

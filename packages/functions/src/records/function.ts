import { createId } from "@sealway/kernel"
import type { Language } from "../host/language.ts"

/** What functions may be called. */
export const FUNCTION_NAME = /^[a-z0-9-]{1,60}$/

/** How a function is to run, as its owner says. */
export interface FunctionSettings {
  readonly language: Language
  /** The file that holds `handler`, by its path in the zip. */
  readonly handler: string
  readonly timeoutSeconds: number
  readonly memoryMb: number
  /** Told when an asynchronous run has ended; null for nobody. */
  readonly callbackUrl: string | null
}

/** One version of a function's code. */
export interface Deployment extends FunctionSettings {
  /** From 1. */
  readonly number: number
  /** The host's name for the program that it becomes. */
  readonly programName: string
  /** Where its source is kept. */
  readonly codeKey: string
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A program that serves no more, and when nobody can be calling it any longer. */
export interface Retired {
  readonly programName: string
  readonly codeKey: string
  /** Epoch milliseconds. */
  readonly removeAt: number
}

export type DeploymentEventType =
  | "function.deployment.started"
  | "function.deployment.updated"
  | "function.deployment.finished"

/** An event that follows from what is written in the same record, and is to be published. */
export interface Announcement {
  readonly id: string
  readonly type: DeploymentEventType
  readonly deployment: number
  readonly status: "deploying" | "ready" | "failed"
  readonly error: string | null
}

export interface FunctionRecord {
  readonly id: string
  readonly appId: string
  readonly teamId: string
  /** One function of an app has it. */
  readonly name: string
  /** What is to serve, and does once it is ready. */
  readonly latest: Deployment
  /** What serves; null when nothing does yet. */
  readonly active: Deployment | null
  /** What became of `latest`. `deleting`: the function is gone for everybody but who cleans up. */
  readonly status: "deploying" | "ready" | "failed" | "deleting"
  /** Whether the program of `latest` was made. */
  readonly isCreated: boolean
  /** Times that the deployment of `latest` went wrong for a reason that may pass. */
  readonly setbacks: number
  /** Why `latest` failed; null unless it did. */
  readonly lastError: string | null
  readonly retired: readonly Retired[]
  readonly announcements: readonly Announcement[]
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds. */
  readonly updatedAt: number
  /** Counts changes. */
  readonly revision: number
}

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
): readonly Retired[] {
  return [...retired, { programName, codeKey, removeAt }]
}

function announce(record: FunctionRecord, type: DeploymentEventType, nowMs: number): FunctionRecord {
  const { latest, lastError: error, status } = record
  const announcement: Announcement = {
    id: createId("webhook_event", nowMs),
    type,
    deployment: latest.number,
    status: status === "deleting" ? "failed" : status,
    error,
  }
  return { ...record, announcements: [...record.announcements, announcement] }
}

import type { FunctionDependencies } from "../dependencies.ts"
import { sendWork } from "../queue/messages.ts"
import { findPending, removePending, type Work } from "../queue/pending-work.ts"
import { type FunctionRecord, findFunction, functionRecords } from "../records/function-table.ts"
import { type AfterStep, deployStep } from "./deploy-step.ts"

/** How many steps one message may cause. */
const MAX_STEPS = 50
/** Longer than it takes to write a record after its work was listed. */
const CREATION_MS = 10 * 60_000

/** Identifies a function in the queue, and in the list of pending work. */
export function functionWork({ id, appId, name }: Pick<FunctionRecord, "id" | "appId" | "name">): Work {
  return { kind: "function", id, appId, functionName: name }
}

/**
 * Makes a function what its record says: deploys what must serve, removes what no longer serves, publishes the events.
 * Each step is written over the revision that it was decided on, so it may run twice, even concurrently in different
 * processes.
 *
 * @throws Error when the message must be retried
 */
export async function reconcileFunction(
  { id, appId, functionName }: Extract<Work, { kind: "function" }>,
  dependencies: FunctionDependencies,
): Promise<void> {
  const { configTable, runsTable, queues, wallClock } = dependencies
  const named = await findPending(runsTable, id)
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const record = await findFunction(configTable, appId, functionName)
    if (record?.id !== id) {
      // Either it is just being created, or it is gone and another function may have its name.
      const isGone = named !== null && wallClock() - named.namedAt > CREATION_MS
      return isGone ? removePending(runsTable, named) : undefined
    }
    const after = await takeStep(record, dependencies)
    if (after === "next") continue
    if (after !== "done") return sendWork(queues, functionWork(record), after.waitMs)
    return removePending(runsTable, named)
  }
  throw new Error("A function is being changed too fast")
}

async function takeStep(record: FunctionRecord, dependencies: FunctionDependencies): Promise<AfterStep> {
  const { configTable, wallClock } = dependencies
  if (record.announcements.length > 0) return publishAnnouncements(record, dependencies)
  if (record.status === "deploying") return deployStep(record, dependencies)
  const [first] = record.retired.toSorted((left, right) => left.removeAt - right.removeAt)
  if (first !== undefined) {
    const waitMs = first.removeAt - wallClock()
    return waitMs > 0 ? { waitMs } : removeRetired(record, first.programName, dependencies)
  }
  if (record.status !== "deleting") return "done"
  return (await functionRecords.remove(configTable, record.appId, record)) ? "done" : "next"
}

async function publishAnnouncements(
  record: FunctionRecord,
  { configTable, events }: FunctionDependencies,
): Promise<AfterStep> {
  const { teamId, appId, name, id: functionId } = record
  for (const { id, type, deployment, status, error } of record.announcements) {
    const data = { function: name, functionId, deployment, status, error }
    await events.publish({ id, teamId, appId, type, data })
  }
  await functionRecords.replace(configTable, record.appId, { ...record, announcements: [] })
  return "next"
}

async function removeRetired(
  record: FunctionRecord,
  programName: string,
  { configTable, host, code }: FunctionDependencies,
): Promise<AfterStep> {
  const gone = record.retired.filter((each) => each.programName === programName)
  await host.remove(programName)
  for (const { codeKey } of gone) await code.remove(codeKey)
  const retired = record.retired.filter((each) => each.programName !== programName)
  await functionRecords.replace(configTable, record.appId, { ...record, retired })
  return "next"
}

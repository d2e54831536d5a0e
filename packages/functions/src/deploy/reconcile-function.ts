import type { FunctionDependencies } from "../dependencies.ts"
import { sendWork } from "../queue/messages.ts"
import { findPending, removePending, type Work } from "../queue/pending-work.ts"
import { type FunctionRecord, findFunction, functionRecords } from "../records/function-table.ts"
import { type AfterStep, deployStep } from "./deploy-step.ts"

/** Steps that one message may bring about. */
const MAX_STEPS = 50
/** Longer than it takes to write a record that was named before. */
const CREATION_MS = 10 * 60_000

/** What names a function in the queue, and while something is to be done about it. */
export function functionWork({ id, appId, name }: Pick<FunctionRecord, "id" | "appId" | "name">): Work {
  return { kind: "function", id, appId, functionName: name }
}

/**
 * Brings a function to where its record says: deploys what is to serve, removes what serves no more, tells of it. Each step
 * writes down what it did over the revision that it was decided on, so that it may be done twice, and at the same time
 * elsewhere.
 *
 * @throws Error when the message is to come again
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
      // Either it is just being made or it is gone, and another may have its name.
      const isGone = named !== null && wallClock() - named.namedAt > CREATION_MS
      return isGone ? removePending(runsTable, named) : undefined
    }
    const after = await takeStep(record, dependencies)
    if (after === "next") continue
    if (after !== "done") return sendWork(queues, functionWork(record), after.waitMs)
    return removePending(runsTable, named)
  }
  throw new Error("A function is being changed faster than it can be followed")
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

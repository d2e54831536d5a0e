import { type App, type AuditAuthor, audited, ConflictError, NotFoundError } from "@sealway/platform"
import type { FunctionDependencies } from "./dependencies.ts"
import { deleted, type FunctionRecord } from "./function.ts"
import { findFunctionRecord, listFunctionRecords, replaceFunctionRecord } from "./function-table.ts"
import { sendWork } from "./messages.ts"
import { namePending } from "./pending-work.ts"
import { functionWork } from "./reconcile-function.ts"

/** The functions of an app. */
export async function functionsOf(
  { configTable }: Pick<FunctionDependencies, "configTable">,
  app: App,
): Promise<readonly FunctionRecord[]> {
  const records = await listFunctionRecords(configTable, app.id)
  return records.filter(({ status }) => status !== "deleting")
}

/** @throws NotFoundError when the app has no function of this name */
export async function requireFunction(
  { configTable }: Pick<FunctionDependencies, "configTable">,
  app: App,
  name: string,
): Promise<FunctionRecord> {
  const record = await findFunctionRecord(configTable, app.id, name)
  if (record === null || record.status === "deleting") throw new NotFoundError("The function")
  return record
}

/**
 * Deletes a function for everybody, and has a worker clean up after it.
 *
 * @throws NotFoundError when the app has no function of this name, ConflictError when another call changes it meanwhile
 */
export async function deleteFunction(
  dependencies: FunctionDependencies,
  app: App,
  name: string,
  author: AuditAuthor,
): Promise<void> {
  const { queues, functions, audit } = dependencies
  const record = await requireFunction(dependencies, app, name)
  const entry = {
    ...author,
    teamId: app.teamId,
    appId: app.id,
    action: "function.delete",
    target: { type: "function", id: record.id },
    details: { name },
  }
  await audited(audit, entry, async () => {
    if (!(await writeDeleted(record, dependencies))) {
      throw new ConflictError("Another call changes this function at the same time.")
    }
    functions.forget(app.id, name)
    await sendWork(queues, functionWork(record))
  })
}

const MAX_WRITES = 10

/** The worker may be writing the last steps of a deployment: as long as it is the same one, it is deleted after them. */
async function writeDeleted(
  first: FunctionRecord,
  { configTable, runsTable, wallClock }: FunctionDependencies,
): Promise<boolean> {
  let record = first
  for (let attempt = 0; attempt < MAX_WRITES; attempt++) {
    await namePending(runsTable, functionWork(record), wallClock(), record.revision + 1)
    if (await replaceFunctionRecord(configTable, deleted(record, wallClock()))) return true
    const current = await findFunctionRecord(configTable, first.appId, first.name)
    const isSame = current?.id === first.id && current.latest.number === first.latest.number
    if (current === null || !isSame || current.status === "deleting") return false
    record = current
  }
  return false
}

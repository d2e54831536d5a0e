import type { App } from "@sealway/accounts"
import { ConflictError, NotFoundError } from "@sealway/kernel"
import { type AuditAuthor, audited } from "@sealway/records"
import type { FunctionDependencies } from "../dependencies.ts"
import { sendWork } from "../queue/messages.ts"
import { deleted } from "../records/function.ts"
import { type FunctionRecord, findFunction, functionRecords } from "../records/function-table.ts"
import { changeFunction } from "./change-function.ts"
import { functionWork } from "./reconcile-function.ts"

/** Lists the functions of an app. */
export async function functionsOf(
  { configTable }: Pick<FunctionDependencies, "configTable">,
  app: App,
): Promise<readonly FunctionRecord[]> {
  const records = await functionRecords.list(configTable, app.id)
  return records.filter(({ status }) => status !== "deleting")
}

/** Finds a function. @throws NotFoundError when the app has none with this name */
export async function requireFunction(
  { configTable }: Pick<FunctionDependencies, "configTable">,
  app: App,
  name: string,
): Promise<FunctionRecord> {
  const record = await findFunction(configTable, app.id, name)
  if (record === null || record.status === "deleting") throw new NotFoundError("The function")
  return record
}

/**
 * Deletes a function immediately, and has a worker clean up after it.
 *
 * @throws NotFoundError when the app has no function with this name, ConflictError when another call changes it first
 */
export async function deleteFunction(
  dependencies: FunctionDependencies,
  app: App,
  name: string,
  author: AuditAuthor,
): Promise<void> {
  const { queues, functions, audit, wallClock } = dependencies
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
    const written = await changeFunction(record, (current) => deleted(current, wallClock()), dependencies)
    if (written === null) {
      throw new ConflictError("Another request is changing this function. Try again.")
    }
    functions.forget(app.id, name)
    await sendWork(queues, functionWork(record))
  })
}

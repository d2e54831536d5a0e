import type { App } from "@sealway/accounts"
import { ConflictError, requireDestinationUrl } from "@sealway/kernel"
import { keepWithinLimit } from "@sealway/ports"
import { type AuditAuthor, audited } from "@sealway/records"
import type { FunctionDependencies } from "../dependencies.ts"
import { sendWork } from "../queue/messages.ts"
import { namePending } from "../queue/pending-work.ts"
import { deleted, firstDeployment, nextDeployment } from "../records/function.ts"
import {
  type Deployment,
  type FunctionRecord,
  type FunctionSettings,
  findFunction,
  functionRecords,
} from "../records/function-table.ts"
import { changeFunction } from "./change-function.ts"
import { functionWork } from "./reconcile-function.ts"
import { readSourceZip, requireHandler } from "./source-zip.ts"

/** The maximum number of functions of an app. */
export const MAX_FUNCTIONS = 100
const TOO_MANY = `The app has ${MAX_FUNCTIONS} functions, the maximum.`

/**
 * Accepts code as the next deployment of a function, creating the function if needed. The current deployment keeps
 * serving until the new one is ready, and if the new one fails.
 *
 * @param zip see `readSourceZip`
 * @returns the function, deploying
 * @throws InvalidRequestError when the code or a setting is invalid
 * @throws ConflictError when the app has 100 functions, the function is being deleted, or another call changes it
 */
export async function deployFunction(
  dependencies: FunctionDependencies,
  app: App,
  name: string,
  settings: FunctionSettings,
  zip: Uint8Array,
  author: AuditAuthor,
): Promise<FunctionRecord> {
  const { configTable, queues, functions, code, audit, draws, wallClock, allowPrivateDestinations } =
    dependencies
  requireHandler(await readSourceZip(zip), settings.language, settings.handler)
  if (settings.callbackUrl !== null) {
    requireDestinationUrl(settings.callbackUrl, "/callbackUrl", { allowPrivate: allowPrivateDestinations })
  }
  const known = await findFunction(configTable, app.id, name)
  if (known?.status === "deleting") {
    throw new ConflictError("A function with this name is being deleted. Try again shortly.")
  }
  if (known === null && (await functionRecords.list(configTable, app.id)).length >= MAX_FUNCTIONS) {
    throw new ConflictError(TOO_MANY)
  }
  const createdAt = wallClock()
  const id = known?.id ?? draws.newId("func", createdAt)
  const number = (known?.latest.number ?? 0) + 1
  const codeKey = `${app.id}/${id}/${number}-${draws.randomBytes(8).toString("hex")}.zip`
  const program = { programName: `${id}-${number}`, codeKey, canBeSilent: false }
  const deployment: Deployment = { ...settings, number, ...program, createdAt }
  const entry = {
    ...author,
    teamId: app.teamId,
    appId: app.id,
    action: "function.deploy",
    target: { type: "function", id },
    details: { name, deployment: number, language: settings.language },
  }
  return audited(audit, entry, async () => {
    // The order matters: after a crash, each step is found by the work list, or leaves code that the next cleanup
    // removes.
    await code.put(codeKey, zip)
    const written =
      known === null
        ? await writeFirst(
            firstDeployment({ id, appId: app.id, teamId: app.teamId, name }, deployment),
            dependencies,
          )
        : await changeFunction(known, (current) => nextDeployment(current, deployment), dependencies)
    if (written === null) {
      await code.remove(codeKey)
      throw new ConflictError("Another request is changing this function. Try again.")
    }
    functions.forget(app.id, name)
    await sendWork(queues, functionWork(written))
    return written
  })
}

/**
 * @returns the record as written; null when another call was faster.
 *
 * @throws ConflictError when there are too many functions
 */
async function writeFirst(
  record: FunctionRecord,
  dependencies: FunctionDependencies,
): Promise<FunctionRecord | null> {
  const { configTable, runsTable, wallClock } = dependencies
  await namePending(runsTable, functionWork(record), wallClock(), record.revision + 1)
  if (!(await functionRecords.create(configTable, record.appId, record))) return null
  await keepWithinLimit({
    id: record.id,
    count: async () => {
      const ids = (await functionRecords.list(configTable, record.appId)).map(({ id }) => id)
      return [{ ids, max: MAX_FUNCTIONS, refusal: TOO_MANY }]
    },
    undo: () => takeBack(record, dependencies),
  })
  return record
}

/** Returns false when the function was changed first. */
async function takeBack(
  { id, appId, name, latest, revision }: FunctionRecord,
  { configTable, queues, code, wallClock }: FunctionDependencies,
): Promise<boolean> {
  const found = await findFunction(configTable, appId, name)
  if (found?.id !== id || found.status === "deleting") return true
  if (found.revision === revision) {
    if (!(await functionRecords.remove(configTable, found.appId, found))) return false
    await code.remove(latest.codeKey)
    return true
  }
  // Work on it has started, or another call has deployed it again: there may be programs to clean up.
  if (!(await functionRecords.replace(configTable, appId, deleted(found, wallClock())))) return false
  await sendWork(queues, functionWork(found))
  return true
}

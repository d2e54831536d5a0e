import { randomBytes } from "node:crypto"
import {
  type App,
  type AuditAuthor,
  audited,
  ConflictError,
  createId,
  InvalidRequestError,
} from "@sealway/platform"
import { checkDestinationUrl } from "@sealway/platform/egress"
import { changeFunction } from "./change-function.ts"
import type { FunctionDependencies } from "./dependencies.ts"
import {
  type Deployment,
  type FunctionRecord,
  type FunctionSettings,
  firstDeployment,
  nextDeployment,
} from "./function.ts"
import { createFunctionRecord, findFunctionRecord, listFunctionRecords } from "./function-table.ts"
import { sendWork } from "./messages.ts"
import { namePending } from "./pending-work.ts"
import { functionWork } from "./reconcile-function.ts"
import { readSourceZip, requireHandler } from "./source-zip.ts"

/** Functions of an app. */
export const MAX_FUNCTIONS = 100

/**
 * Accepts code as the next deployment of the function of a name, or as the first of a new one. What serves goes on serving
 * until the deployment is ready, and when it fails.
 *
 * @param zip see `readSourceZip`
 * @returns the function, deploying
 * @throws InvalidRequestError when the code or a setting cannot be used
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
  const { configTable, queues, functions, code, audit, wallClock } = dependencies
  requireHandler(await readSourceZip(zip), settings.language, settings.handler)
  refuseCallback(settings.callbackUrl, dependencies)
  const known = await findFunctionRecord(configTable, app.id, name)
  if (known?.status === "deleting") {
    throw new ConflictError("A function of this name is being deleted. Try again shortly.")
  }
  if (known === null && (await listFunctionRecords(configTable, app.id)).length >= MAX_FUNCTIONS) {
    throw new ConflictError(`The app has ${MAX_FUNCTIONS} functions, which is as many as an app can have.`)
  }
  const createdAt = wallClock()
  const id = known?.id ?? createId("func", createdAt)
  const number = (known?.latest.number ?? 0) + 1
  const codeKey = `${app.id}/${id}/${number}-${randomBytes(8).toString("hex")}.zip`
  const deployment: Deployment = { ...settings, number, programName: `${id}-${number}`, codeKey, createdAt }
  const entry = {
    ...author,
    teamId: app.teamId,
    appId: app.id,
    action: "function.deploy",
    target: { type: "function", id },
    details: { name, deployment: number, language: settings.language },
  }
  return audited(audit, entry, async () => {
    // Each step leaves the next one to be found again, or code that nobody knows of to be removed.
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
      throw new ConflictError("Another call changes this function at the same time.")
    }
    functions.forget(app.id, name)
    await sendWork(queues, functionWork(written))
    return written
  })
}

/** @returns the record as written; null when somebody else was faster */
async function writeFirst(
  record: FunctionRecord,
  { configTable, runsTable, wallClock }: FunctionDependencies,
): Promise<FunctionRecord | null> {
  await namePending(runsTable, functionWork(record), wallClock(), record.revision + 1)
  return (await createFunctionRecord(configTable, record)) ? record : null
}

function refuseCallback(
  callbackUrl: string | null,
  { allowPrivateDestinations: allowPrivate }: FunctionDependencies,
): void {
  if (callbackUrl === null) return
  const result = checkDestinationUrl(callbackUrl, { allowPrivate })
  if (result.admitted) return
  throw new InvalidRequestError(result.reason, {
    fields: [{ pointer: "/callbackUrl", reason: result.reason }],
  })
}

import type { App } from "@sealway/accounts"
import { type Effect, UNTRACKED_EFFECT } from "@sealway/http"
import { PayloadTooLargeError } from "@sealway/kernel"
import type { FunctionDependencies } from "../dependencies.ts"
import { sendWork } from "../queue/messages.ts"
import { namePending, type Work } from "../queue/pending-work.ts"
import type { FunctionRecord } from "../records/function-table.ts"
import { RUN_KEPT_SECONDS } from "../records/run.ts"
import { createRunData, MAX_KEPT_BYTES } from "../records/run-data.ts"
import { type FunctionRun, type RunRequester, runRecords } from "../records/run-table.ts"

/** Identifies a run in the queue, and in the list of pending work. */
export function workOf({ id, appId, functionId }: Pick<FunctionRun, "id" | "appId" | "functionId">): Work {
  return { kind: "run", id, appId, functionId }
}

/**
 * Accepts a run for later. Its payload is stored as it was sent, with tokens unopened, and additionally sealed.
 *
 * @param body the request body
 * @param effect begins once the run can be found, and so will be executed
 * @throws PayloadTooLargeError
 */
export async function scheduleRun(
  { runsTable, keyring, queues, draws, wallClock }: FunctionDependencies,
  app: App,
  { id: functionId, name: functionName }: FunctionRecord,
  body: Buffer,
  requester: RunRequester,
  effect: Effect = UNTRACKED_EFFECT,
): Promise<FunctionRun> {
  if (body.length > MAX_KEPT_BYTES) {
    throw new PayloadTooLargeError("The request of an asynchronous run is limited to 256 KB.")
  }
  const createdAt = wallClock()
  const run: FunctionRun = {
    id: draws.newId("func_run", createdAt),
    appId: app.id,
    teamId: app.teamId,
    functionId,
    functionName,
    status: "scheduled",
    requester,
    attempts: 0,
    setbacks: 0,
    claimedUntil: null,
    callbackUrl: null,
    createdAt,
    completedAt: null,
    expiresAt: Math.floor(createdAt / 1000) + RUN_KEPT_SECONDS,
    revision: 1,
  }
  // The run last: once it can be found it is complete. An entry without a run is skipped.
  await namePending(runsTable, workOf(run), createdAt, 1)
  await createRunData(runsTable, keyring, app, run, "payload", body)
  effect.begin()
  if (!(await runRecords.create(runsTable, run.appId, run))) throw new Error("The new run's id is taken")
  await sendWork(queues, workOf(run))
  return run
}

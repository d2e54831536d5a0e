import type { App } from "@sealway/accounts"
import { ConflictError, NotFoundError } from "@sealway/kernel"
import { type AuditAuthor, audited } from "@sealway/records"
import type { FunctionDependencies } from "../dependencies.ts"
import { findPending } from "../queue/pending-work.ts"
import { removeRunData } from "../records/run-data.ts"
import { type FunctionRun, runRecords } from "../records/run-table.ts"

type DeleteDependencies = Pick<FunctionDependencies, "runsTable" | "audit">

/**
 * Deletes a run that has ended, with everything that is stored of it. Its outcomes are removed unread and first, so that a
 * request with an `Idempotency-Key` keeps no copy of them, and a repetition after a crash finds the run again.
 *
 * @throws NotFoundError when the function has no such run, ConflictError when it has not ended
 */
export async function deleteRun(
  { runsTable, audit }: DeleteDependencies,
  app: App,
  place: Pick<FunctionRun, "functionId" | "id">,
  author: AuditAuthor,
): Promise<void> {
  const run = await runRecords.find(runsTable, app.id, place)
  if (run === null) throw new NotFoundError("The run")
  // Until its end is published, a worker needs the record.
  if (run.status === "scheduled" || (await findPending(runsTable, run.id)) !== null) {
    throw new ConflictError("The run has not ended. Delete it once it has.")
  }
  const { id, functionName } = run
  const entry = {
    ...author,
    teamId: app.teamId,
    appId: app.id,
    action: "function-run.delete",
    target: { type: "function-run", id },
    details: { function: functionName },
  }
  await audited(audit, entry, async () => {
    for (let attempt = 0; attempt <= run.attempts; attempt++) {
      await removeRunData(runsTable, run, `outcome-${attempt}`)
    }
    if (!(await runRecords.remove(runsTable, app.id, run))) {
      throw new ConflictError("Another request is changing this run. Try again.")
    }
  })
}

import type { FunctionDependencies } from "../dependencies.ts"
import { namePending } from "../queue/pending-work.ts"
import { type FunctionRecord, findFunction, functionRecords } from "../records/function-table.ts"
import { functionWork } from "./reconcile-function.ts"

const MAX_WRITES = 10

/**
 * Writes a change of a function by a caller, and lists the work that follows from it. The worker may be writing the
 * last steps of a deployment: as long as nobody else deploys or deletes the function, the change is applied to what it
 * wrote.
 *
 * @returns the record as now stored; null when another call was faster
 */
export async function changeFunction(
  known: FunctionRecord,
  change: (current: FunctionRecord) => FunctionRecord,
  {
    configTable,
    runsTable,
    wallClock,
  }: Pick<FunctionDependencies, "configTable" | "runsTable" | "wallClock">,
): Promise<FunctionRecord | null> {
  let current = known
  for (let attempt = 0; attempt < MAX_WRITES; attempt++) {
    const changed = change(current)
    await namePending(runsTable, functionWork(changed), wallClock(), changed.revision + 1)
    const stored = await functionRecords.replace(configTable, changed.appId, changed)
    if (stored !== null) return stored
    const found = await findFunction(configTable, known.appId, known.name)
    const isSame = found?.id === known.id && found.latest.number === known.latest.number
    if (found === null || !isSame || found.status === "deleting") return null
    current = found
  }
  return null
}

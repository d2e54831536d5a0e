import type { App } from "@sealway/accounts"
import type { FunctionDependencies } from "../dependencies.ts"
import type { Outcome } from "../request/outcome.ts"
import type { CallOutcome } from "./call-function.ts"

/** Counts a run that has ended, with the time of its last call. An attempt that is repeated later is no run. */
export function countRun(
  { stats }: Pick<FunctionDependencies, "stats">,
  app: App,
  functionName: string,
  status: Outcome["status"],
  { durationMs }: Pick<CallOutcome, "durationMs">,
): void {
  stats.count(
    app.id,
    { functionRuns: 1, failedRuns: status === "failure" ? 1 : 0, tookMs: { function: durationMs } },
    { function: functionName },
  )
}

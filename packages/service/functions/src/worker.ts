import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda"
import type { FunctionDependencies } from "./dependencies.ts"
import { reconcileFunction } from "./deploy/reconcile-function.ts"
import { parseWork } from "./queue/messages.ts"
import { workRun } from "./runs/work-run.ts"

export type RunWorker = (event: SQSEvent) => Promise<SQSBatchResponse>

/**
 * Creates the Lambda handler of the queue `function-runs`. It reports which messages of a batch failed, so that only
 * these are retried. Safe to run twice with the same message, even concurrently. A batch takes as long as its slowest
 * function, at most 15 minutes.
 */
export function createRunWorker(dependencies: FunctionDependencies): RunWorker {
  async function handle({ body }: SQSRecord): Promise<void> {
    const work = parseWork(body)
    await (work.kind === "run" ? workRun(work, dependencies) : reconcileFunction(work, dependencies))
  }

  return async ({ Records }) => {
    const results = await Promise.allSettled(Records.map(handle))
    const batchItemFailures = results.flatMap((result, index) => {
      const { messageId = "" } = Records[index] ?? {}
      if (result.status === "fulfilled") return []
      dependencies.log.warn("function message failed", { requestId: messageId, error: result.reason })
      return [{ itemIdentifier: messageId }]
    })
    await dependencies.stats.settle()
    return { batchItemFailures }
  }
}

import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda"
import { ACQUIRERS } from "../acquirers/acquirer-kind.ts"
import type { EnrolmentDependencies } from "../enrolments/enrolled-kind.ts"
import { parseEnrolmentWork } from "../enrolments/messages.ts"
import { workEnrolments } from "../enrolments/work-enrolments.ts"
import { MERCHANTS } from "../merchants/merchant-kind.ts"
import { parseSessionWork, workSession } from "../three-d-secure-sessions/steps/work-sessions.ts"

export type EnrolmentWorker = (event: SQSEvent) => Promise<SQSBatchResponse>

/**
 * The Lambda handler of the queue `enrolments`: reports which messages of a batch failed, so that the others do not come
 * again. Safe to run twice with the same message, and at the same time. One message takes eight times the deadline of a
 * network at most.
 */
export function createEnrolmentWorker(dependencies: EnrolmentDependencies): EnrolmentWorker {
  async function handle({ body }: SQSRecord): Promise<void> {
    const session = parseSessionWork(body)
    if (session !== null) return workSession(dependencies, session)
    const work = parseEnrolmentWork(body)
    await (work.type === "merchant"
      ? workEnrolments(MERCHANTS, work, dependencies)
      : workEnrolments(ACQUIRERS, work, dependencies))
  }

  return async ({ Records }) => {
    const results = await Promise.allSettled(Records.map(handle))
    const batchItemFailures = results.flatMap((result, index) => {
      const { messageId = "" } = Records[index] ?? {}
      if (result.status === "fulfilled") return []
      dependencies.log.warn("enrolment message failed", { requestId: messageId, error: result.reason })
      return [{ itemIdentifier: messageId }]
    })
    return { batchItemFailures }
  }
}

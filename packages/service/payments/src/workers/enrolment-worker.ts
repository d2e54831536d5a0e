import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda"
import { SUBSCRIPTIONS } from "../account-updater/subscription-kind.ts"
import { ACQUIRERS } from "../acquirers/acquirer-kind.ts"
import { CARDS } from "../cards/card-kind.ts"
import type { EnrolmentDependencies } from "../enrolments/enrolled-kind.ts"
import { parseEnrolmentWork } from "../enrolments/messages.ts"
import { workEnrolments } from "../enrolments/work-enrolments.ts"
import { MERCHANTS } from "../merchants/merchant-kind.ts"
import { NETWORK_TOKENS } from "../network-tokens/network-token-kind.ts"
import { ALERTS } from "../pre-chargeback-alerts/alert-kind.ts"
import { RETRY_WATCHES } from "../retries/retry-watch-kind.ts"
import { parseSessionWork, workSession } from "../three-d-secure-sessions/steps/work-sessions.ts"

export type EnrolmentWorker = (event: SQSEvent) => Promise<SQSBatchResponse>

/**
 * Creates the Lambda handler of the queues `enrolments` and `card-checks`. It reports which messages of a batch failed,
 * so that only these are retried. Safe to run twice with the same message, even concurrently. One message takes at most eight times the
 * deadline of a network.
 */
export function createEnrolmentWorker(dependencies: EnrolmentDependencies): EnrolmentWorker {
  async function handle({ body }: SQSRecord): Promise<void> {
    const session = parseSessionWork(body)
    if (session !== null) return workSession(dependencies, session)
    const work = parseEnrolmentWork(body)
    switch (work.type) {
      case "merchant":
        return workEnrolments(MERCHANTS, work, dependencies)
      case "acquirer":
        return workEnrolments(ACQUIRERS, work, dependencies)
      case "card":
        return workEnrolments(CARDS, work, dependencies)
      case "network-token":
        return workEnrolments(NETWORK_TOKENS, work, dependencies)
      case "card-subscription":
        return workEnrolments(SUBSCRIPTIONS, work, dependencies)
      case "retry-watch":
        return workEnrolments(RETRY_WATCHES, work, dependencies)
      case "chargeback-alert":
        return workEnrolments(ALERTS, work, dependencies)
    }
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

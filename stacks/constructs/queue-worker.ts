import { QUEUES, type QueueName } from "@sealway/ports"
import { Duration } from "aws-cdk-lib"
import { PolicyStatement } from "aws-cdk-lib/aws-iam"
import { CfnEventSourceMapping } from "aws-cdk-lib/aws-lambda"
import type { Construct } from "constructs"
import { find } from "../stage-resources.ts"
import { ServiceFunction, type ServiceFunctionProps } from "./service-function.ts"

/** How long a worker may take, as a part of its queue's visibility time-out; the rest is for Lambda's own retries. */
const VISIBILITY_SHARE = 6
/** A message that fails comes again. */
const ERROR_BUDGET = { period: Duration.minutes(5), reached: 2, periods: 3 }

export interface QueueWorkerProps
  extends Omit<ServiceFunctionProps, "timeout" | "errorBudget" | "isCalledByTarget"> {
  readonly queue: QueueName
  /** A second queue with its own concurrency, whose messages never hold up those of the first. */
  readonly slowQueue?: QueueName
  /** Messages that one invocation processes, at the same time. */
  readonly batchSize: number
  /** Invocations at the same time. */
  readonly maximumConcurrency: number
}

/** A function that Lambda gives a queue's messages, and that reports for each whether it must come again. */
export class QueueWorker extends ServiceFunction {
  /** @throws Error when there is no queue of that name */
  constructor(scope: Construct, id: string, props: QueueWorkerProps) {
    const { queue, slowQueue, batchSize, maximumConcurrency, statements = [], ...others } = props
    const { queueArn } = find(props.resources.queues, "queue", queue)
    const slowArn = slowQueue && find(props.resources.queues, "queue", slowQueue).queueArn
    const receiving = [queueArn, ...(slowArn === undefined ? [] : [slowArn])].map(receive)
    super(scope, id, {
      ...others,
      statements: [...statements, ...receiving],
      timeout: Duration.seconds(visibilityTimeoutSeconds(queue) / VISIBILITY_SHARE),
      errorBudget: ERROR_BUDGET,
      isCalledByTarget: true,
    })
    const handOver = (mappingId: string, eventSourceArn: string) =>
      new CfnEventSourceMapping(this, mappingId, {
        functionName: this.targetArn,
        eventSourceArn,
        batchSize,
        scalingConfig: { maximumConcurrency },
        functionResponseTypes: ["ReportBatchItemFailures"],
      })
    handOver("Messages", queueArn)
    if (slowArn !== undefined) handOver("SlowMessages", slowArn)
  }
}

/** Permits what Lambda does with a queue in the worker's name. */
function receive(queueArn: string): PolicyStatement {
  return new PolicyStatement({
    actions: ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
    resources: [queueArn],
  })
}

function visibilityTimeoutSeconds(name: QueueName): number {
  const queue = QUEUES.find((each) => each.name === name)
  if (queue === undefined) throw new Error(`There is no queue ${name}.`)
  return queue.visibilityTimeoutSeconds
}

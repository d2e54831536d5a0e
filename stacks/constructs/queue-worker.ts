import { QUEUES, type QueueName } from "@sealway/platform"
import { Duration } from "aws-cdk-lib"
import { PolicyStatement } from "aws-cdk-lib/aws-iam"
import { CfnEventSourceMapping } from "aws-cdk-lib/aws-lambda"
import type { Construct } from "constructs"
import { find } from "../stage-resources.ts"
import { ServiceFunction, type ServiceFunctionProps } from "./service-function.ts"

/** How long a worker may take, as a part of its queue's visibility time-out; the rest is for Lambda's own retries. */
const VISIBILITY_SHARE = 6

export interface QueueWorkerProps extends Omit<ServiceFunctionProps, "timeout"> {
  readonly queue: QueueName
  /** Messages that one invocation processes, at the same time. */
  readonly batchSize: number
  /** Invocations at the same time. */
  readonly maximumConcurrency: number
}

/** A function that Lambda gives a queue's messages, and that reports for each whether it must come again. */
export class QueueWorker extends ServiceFunction {
  /** @throws Error when there is no queue of that name */
  constructor(scope: Construct, id: string, props: QueueWorkerProps) {
    const { queue: name, batchSize, maximumConcurrency, statements = [], ...others } = props
    const { queueArn } = find(props.resources.queues, "queue", name)
    super(scope, id, {
      ...others,
      statements: [...statements, receive(queueArn)],
      timeout: Duration.seconds(visibilityTimeoutSeconds(name) / VISIBILITY_SHARE),
    })
    new CfnEventSourceMapping(this, "Messages", {
      functionName: this.targetArn,
      eventSourceArn: queueArn,
      batchSize,
      scalingConfig: { maximumConcurrency },
      functionResponseTypes: ["ReportBatchItemFailures"],
    })
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

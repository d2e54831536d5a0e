import { type Grant, QUEUES } from "@sealway/platform"
import { Duration, Stack, type StackProps } from "aws-cdk-lib"
import { Rule, Schedule } from "aws-cdk-lib/aws-events"
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets"
import { PolicyStatement } from "aws-cdk-lib/aws-iam"
import { CfnEventSourceMapping } from "aws-cdk-lib/aws-lambda"
import type { IQueue } from "aws-cdk-lib/aws-sqs"
import type { Construct } from "constructs"
import { ServiceFunction } from "./constructs/service-function.ts"
import { WEBHOOK_SWEEPER, WEBHOOK_WORKER } from "./names.ts"
import { find, type StageResources } from "./stage-resources.ts"

/** Delivering webhooks: reads endpoints and keys, keeps deliveries, asks for the next attempt, records what it disables. */
export const WEBHOOK_WORKER_GRANTS: readonly Grant[] = [
  "dynamodb:GetItem/config",
  "dynamodb:Query/config",
  "dynamodb:PutItem/config",
  "dynamodb:GetItem/events",
  "dynamodb:Query/events",
  "dynamodb:PutItem/events",
  "dynamodb:DeleteItem/events",
  "sqs:SendMessage/events",
  "sqs:SendMessage/events-dead-letters",
  "kms:Decrypt",
]

/** Looking for what was accepted and got lost: reads what is pending, and asks for it again. */
export const WEBHOOK_SWEEPER_GRANTS: readonly Grant[] = [
  "dynamodb:GetItem/events",
  "dynamodb:Query/events",
  "dynamodb:PutItem/events",
  "dynamodb:DeleteItem/events",
  "sqs:SendMessage/events",
]

/** Messages of a batch are worked on at the same time. */
const WEBHOOK_BATCH = 10
/** How long a worker may take, as a part of its queue's visibility time-out; the rest is for Lambda's own retries. */
const VISIBILITY_SHARE = 6
const SWEEP_INTERVAL = Duration.minutes(15)
const SWEEP_TIMEOUT = Duration.minutes(5)

export interface WorkersStackProps extends StackProps {
  readonly resources: StageResources
}

/** What works behind the scenes: it answers no request. */
export class WorkersStack extends Stack {
  constructor(scope: Construct, id: string, { resources, ...props }: WorkersStackProps) {
    super(scope, id, props)
    this.#deliverWebhooks(resources)
    this.#sweepWebhooks(resources)
  }

  #deliverWebhooks(resources: StageResources): void {
    const queue = find(resources.queues, "queue", "events")
    const worker = new ServiceFunction(this, "WebhookWorker", {
      resources,
      functionName: WEBHOOK_WORKER,
      description: "Deliver events to webhook endpoints",
      grants: WEBHOOK_WORKER_GRANTS,
      statements: [consume(queue)],
      timeout: Duration.seconds(visibilityTimeoutSeconds("events") / VISIBILITY_SHARE),
    })
    new CfnEventSourceMapping(this, "WebhookMessages", {
      functionName: worker.targetArn,
      eventSourceArn: queue.queueArn,
      batchSize: WEBHOOK_BATCH,
      scalingConfig: { maximumConcurrency: resources.stage.webhookConcurrency },
      functionResponseTypes: ["ReportBatchItemFailures"],
    })
  }

  #sweepWebhooks(resources: StageResources): void {
    const sweeper = new ServiceFunction(this, "WebhookSweeper", {
      resources,
      functionName: WEBHOOK_SWEEPER,
      description: "Queue again what was accepted and never delivered",
      grants: WEBHOOK_SWEEPER_GRANTS,
      timeout: SWEEP_TIMEOUT,
    })
    new Rule(this, "SweepWebhooks", {
      description: "Looks for webhook events whose messages got lost",
      schedule: Schedule.rate(SWEEP_INTERVAL),
      // A sweep that fails is not repeated: the next one does its work too, and an alarm tells.
      targets: [new LambdaFunction(sweeper.function, { retryAttempts: 0 })],
    })
  }
}

/** What Lambda does with a queue in the worker's name. */
function consume({ queueArn }: IQueue): PolicyStatement {
  return new PolicyStatement({
    actions: ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
    resources: [queueArn],
  })
}

/** @throws Error when there is no queue of that name */
function visibilityTimeoutSeconds(name: string): number {
  const queue = QUEUES.find((each) => each.name === name)
  if (queue === undefined) throw new Error(`There is no queue ${name}.`)
  return queue.visibilityTimeoutSeconds
}

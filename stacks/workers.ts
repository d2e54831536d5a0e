import type { Grant } from "@sealway/platform"
import { Stack, type StackProps } from "aws-cdk-lib"
import type { Construct } from "constructs"
import { QueueWorker } from "./constructs/queue-worker.ts"
import { Sweeper } from "./constructs/sweeper.ts"
import { SLOW_WEBHOOK_WORKER, WEBHOOK_SWEEPER, WEBHOOK_WORKER } from "./names.ts"
import type { StageResources } from "./stage-resources.ts"

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
  "sqs:SendMessage/slow-events",
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

export interface WorkersStackProps extends StackProps {
  readonly resources: StageResources
}

/** What delivers webhooks: it answers no request. */
export class WorkersStack extends Stack {
  constructor(scope: Construct, id: string, { resources, ...props }: WorkersStackProps) {
    super(scope, id, props)
    new QueueWorker(this, "WebhookWorker", {
      resources,
      functionName: WEBHOOK_WORKER,
      description: "Deliver events to webhook endpoints",
      grants: WEBHOOK_WORKER_GRANTS,
      queue: "events",
      batchSize: WEBHOOK_BATCH,
      maximumConcurrency: resources.stage.webhookConcurrency,
    })
    new QueueWorker(this, "SlowWebhookWorker", {
      resources,
      functionName: SLOW_WEBHOOK_WORKER,
      description: "Deliver events to webhook endpoints that were slow lately",
      grants: WEBHOOK_WORKER_GRANTS,
      queue: "slow-events",
      batchSize: WEBHOOK_BATCH,
      maximumConcurrency: resources.stage.slowWebhookConcurrency,
    })
    new Sweeper(this, "WebhookSweeper", {
      resources,
      functionName: WEBHOOK_SWEEPER,
      description: "Queue again what was accepted and never delivered",
      grants: WEBHOOK_SWEEPER_GRANTS,
    })
  }
}

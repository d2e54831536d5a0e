import {
  AUDIT_GRANTS,
  type Grant,
  OPENING_GRANTS,
  SUBJECT_READING_GRANTS,
  TEAM_AUDIT_GRANTS,
} from "@sealway/ports"
import { Stack, type StackProps } from "aws-cdk-lib"
import type { Construct } from "constructs"
import { notifyOfAlarms } from "./constructs/alarm.ts"
import { QueueWorker } from "./constructs/queue-worker.ts"
import { Sweeper } from "./constructs/sweeper.ts"
import {
  ENROLMENT_SWEEPER,
  ENROLMENT_WORKER,
  ERASURE_SWEEPER,
  HSM_KEY_SWEEPER,
  SLOW_WEBHOOK_WORKER,
  STATS_FOLDER,
  WEBHOOK_SWEEPER,
  WEBHOOK_WORKER,
} from "./names.ts"
import type { StageResources } from "./stage-resources.ts"

/**
 * Permissions to deliver webhooks: it reads endpoints and keys, stores deliveries, requests the next attempt, and
 * records what it disables.
 */
export const WEBHOOK_WORKER_GRANTS: readonly Grant[] = [
  "dynamodb:GetItem/config",
  "dynamodb:Query/config",
  "dynamodb:PutItem/config",
  "dynamodb:Query/keys",
  "dynamodb:GetItem/events",
  "dynamodb:Query/events",
  "dynamodb:PutItem/events",
  "dynamodb:DeleteItem/events",
  ...TEAM_AUDIT_GRANTS,
  "sqs:SendMessage/events",
  "sqs:SendMessage/events-dead-letters",
  "sqs:SendMessage/slow-events",
  "kms:Decrypt/secret",
]

/** Permissions to look for accepted work that was lost: it reads what is pending, and requests it again. */
export const WEBHOOK_SWEEPER_GRANTS: readonly Grant[] = [
  "dynamodb:GetItem/events",
  "dynamodb:Query/events",
  "dynamodb:PutItem/events",
  "dynamodb:DeleteItem/events",
  "sqs:SendMessage/events",
]

/**
 * Permissions to ask card networks: it follows the records of merchants, acquirers and cards, and publishes what
 * changes.
 */
export const ENROLMENT_WORKER_GRANTS: readonly Grant[] = [
  "dynamodb:GetItem/payments",
  "dynamodb:Query/payments",
  "dynamodb:PutItem/payments",
  "dynamodb:DeleteItem/payments",
  "dynamodb:Query/config",
  "dynamodb:PutItem/events",
  "sqs:SendMessage/enrolments",
  "sqs:SendMessage/card-checks",
  "sqs:SendMessage/events",
  ...OPENING_GRANTS,
]

/**
 * Permissions to look for records that are unsettled or due for their daily check: it reads their names and due times,
 * not their content.
 */
export const ENROLMENT_SWEEPER_GRANTS: readonly Grant[] = [
  "dynamodb:GetItem/payments",
  "dynamodb:Query/payments",
  "dynamodb:PutItem/payments",
  "sqs:SendMessage/enrolments",
  "sqs:SendMessage/card-checks",
]

/** Permissions to look for keys in KMS that no key version names, and to let KMS delete them: it opens nothing. */
export const HSM_KEY_SWEEPER_GRANTS: readonly Grant[] = [
  "dynamodb:GetItem/config",
  "dynamodb:PutItem/config",
  "dynamodb:Query/keys",
  "kms:ListKeys",
  "kms:ListResourceTags",
  "kms:DescribeKey",
  "kms:ScheduleKeyDeletion",
]

/** Permissions to add up figures: it reads those of minutes and hours, and what is left to add up. */
export const STATS_FOLDER_GRANTS: readonly Grant[] = [
  "dynamodb:Query/events",
  "dynamodb:PutItem/events",
  "dynamodb:DeleteItem/events",
]

/** Permissions to destroy the keys of data subjects, and what leads to them. It opens nothing. */
export const ERASURE_SWEEPER_GRANTS: readonly Grant[] = [
  ...SUBJECT_READING_GRANTS,
  "dynamodb:PutItem/config",
  "dynamodb:DeleteItem/config",
  ...AUDIT_GRANTS,
]

/** Messages of a batch are processed at the same time. */
const WEBHOOK_BATCH = 10
const ENROLMENT_BATCH = 5
/** Enrolments take minutes at least: few at a time are enough, and do not burden processors' connectors. */
const ENROLMENT_CONCURRENCY = 5

export interface WorkersStackProps extends StackProps {
  readonly resources: StageResources
}

/** Delivers webhooks, asks card networks, deletes what is due and adds up figures: it answers no request. */
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
    new QueueWorker(this, "EnrolmentWorker", {
      resources,
      functionName: ENROLMENT_WORKER,
      description: "Enrol merchants, acquirers and cards with card networks",
      grants: ENROLMENT_WORKER_GRANTS,
      queue: "enrolments",
      // Merchants and tokens never wait behind the daily checks of cards.
      slowQueue: "card-checks",
      batchSize: ENROLMENT_BATCH,
      maximumConcurrency: ENROLMENT_CONCURRENCY,
    })
    new Sweeper(this, "EnrolmentSweeper", {
      resources,
      functionName: ENROLMENT_SWEEPER,
      description: "Queue again what card networks are to be asked about",
      grants: ENROLMENT_SWEEPER_GRANTS,
    })
    new Sweeper(this, "HsmKeySweeper", {
      resources,
      functionName: HSM_KEY_SWEEPER,
      description: "Let KMS delete keys that no key version uses",
      grants: HSM_KEY_SWEEPER_GRANTS,
    })
    new Sweeper(this, "ErasureSweeper", {
      resources,
      functionName: ERASURE_SWEEPER,
      description: "Destroy the keys of data subjects whose undo window has ended",
      grants: ERASURE_SWEEPER_GRANTS,
    })
    new Sweeper(this, "StatsFolder", {
      resources,
      functionName: STATS_FOLDER,
      description: "Add up figures of minutes to hours and days",
      grants: STATS_FOLDER_GRANTS,
    })
    notifyOfAlarms(this, {
      name: this.stackName,
      description: "A worker or a sweeper fails again and again",
      topic: resources.alarmTopic,
    })
  }
}

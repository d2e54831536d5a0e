import type { Grant } from "@sealway/ports"
import { ACCESS_MEMBER } from "@sealway/records"
import { Duration, Stack, type StackProps } from "aws-cdk-lib"
import { CfnEventInvokeConfig, CfnPermission } from "aws-cdk-lib/aws-lambda"
import { FilterPattern, SubscriptionFilter } from "aws-cdk-lib/aws-logs"
import type { Construct } from "constructs"
import type { AccessLogSource } from "./access-log-source.ts"
import { notifyOfAlarms } from "./constructs/alarm.ts"
import { QueueWorker } from "./constructs/queue-worker.ts"
import { ACCESS_WRITER } from "./names.ts"
import { find, type StageResources } from "./stage-resources.ts"

/**
 * Permissions to carry access records from logs to the table: it adds them. The queue's message is not the function's
 * own: Lambda sends it in the function's name, when the function could not process a delivery of a log.
 */
export const ACCESS_WRITER_GRANTS: readonly Grant[] = [
  "dynamodb:PutItem/events",
  "sqs:SendMessage/access-records",
]

const QUEUE = "access-records"
/** One delivery of a subscription is large already. */
const BATCH = 1
const MAX_CONCURRENCY = 5
/** Lambda retries so often by itself, a minute or two apart, before it puts the event into the queue. */
const RETRIES = 2
const MAX_EVENT_AGE = Duration.hours(6)

export interface AccessLogStackProps extends StackProps {
  readonly resources: StageResources
  readonly sources: readonly AccessLogSource[]
}

/** Carries access records from the logs of all that decrypts to the table that `GET /access-logs` reads. */
export class AccessLogStack extends Stack {
  constructor(scope: Construct, id: string, { resources, sources, ...props }: AccessLogStackProps) {
    super(scope, id, props)
    const writer = new QueueWorker(this, "Writer", {
      resources,
      functionName: ACCESS_WRITER,
      description: "Carry access records from logs to the table",
      grants: ACCESS_WRITER_GRANTS,
      queue: QUEUE,
      batchSize: BATCH,
      maximumConcurrency: MAX_CONCURRENCY,
    })
    new CfnEventInvokeConfig(this, "Failures", {
      functionName: writer.function.functionName,
      qualifier: writer.alias ?? "$LATEST",
      maximumRetryAttempts: RETRIES,
      maximumEventAgeInSeconds: MAX_EVENT_AGE.toSeconds(),
      destinationConfig: { onFailure: { destination: find(resources.queues, "queue", QUEUE).queueArn } },
    })
    for (const { name, logGroup } of sources) {
      const permission = new CfnPermission(this, `Permission ${name}`, {
        action: "lambda:InvokeFunction",
        functionName: writer.targetArn,
        principal: "logs.amazonaws.com",
        sourceArn: logGroup.logGroupArn,
        sourceAccount: this.account,
      })
      const subscription = new SubscriptionFilter(this, `Subscription ${name}`, {
        logGroup,
        filterPattern: FilterPattern.stringValue(`$.${ACCESS_MEMBER}.id`, "=", "access_*"),
        destination: { bind: () => ({ arn: writer.targetArn }) },
      })
      subscription.node.addDependency(permission)
    }
    notifyOfAlarms(this, {
      name: this.stackName,
      description: "Access records are not written into the table",
      topic: resources.alarmTopic,
    })
  }
}

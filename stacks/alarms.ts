import { Stack, type StackProps } from "aws-cdk-lib"
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam"
import type { IKey } from "aws-cdk-lib/aws-kms"
import { type ITopic, Topic } from "aws-cdk-lib/aws-sns"
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions"
import type { Construct } from "constructs"
import { recipientsOf, type StageConfig } from "./config.ts"
import { exportForGood } from "./exports.ts"
import { stackName } from "./names.ts"

export interface AlarmsStackProps extends StackProps {
  readonly stage: StageConfig
  readonly storageKey: IKey
}

/** The topic that every alarm of a stage goes to, and notices of watched changes. */
export class AlarmsStack extends Stack {
  readonly topic: ITopic

  constructor(scope: Construct, id: string, { stage, storageKey, ...props }: AlarmsStackProps) {
    super(scope, id, props)
    const topic = new Topic(this, "Alarms", {
      displayName: `Sealway ${stage.stage}`,
      masterKey: storageKey,
      enforceSSL: true,
    })
    // A topic with a policy accepts only what the policy allows: alarms are no exception.
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: "PublishAlarms",
        principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
        actions: ["sns:Publish"],
        resources: [topic.topicArn],
        conditions: { StringEquals: { "aws:SourceAccount": this.account } },
      }),
    )
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: "PublishChanges",
        principals: [new ServicePrincipal("events.amazonaws.com")],
        actions: ["sns:Publish"],
        resources: [topic.topicArn],
        conditions: {
          ArnLike: {
            "aws:SourceArn": this.formatArn({
              service: "events",
              resource: "rule",
              resourceName: stackName(stage, "*"),
            }),
          },
        },
      }),
    )
    for (const email of recipientsOf(stage)) topic.addSubscription(new EmailSubscription(email))
    this.topic = topic
    exportForGood(this, topic.topicArn)
  }
}

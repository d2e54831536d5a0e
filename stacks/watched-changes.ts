import { Stack } from "aws-cdk-lib"
import { EventField, type EventPattern, Match, Rule, RuleTargetInput } from "aws-cdk-lib/aws-events"
import type { Construct } from "constructs"
import { stackName } from "./names.ts"
import { find, type StageResources } from "./stage-resources.ts"

/** IAM is one service for all regions, and tells only this one what happens. */
const IAM_REGION = "us-east-1"

/** What makes keys unusable, or usable by others. */
const KEY_CHANGES = [
  "DisableKey",
  "DisableKeyRotation",
  "PutKeyPolicy",
  "ReplicateKey",
  "ScheduleKeyDeletion",
]
/** What could make the audit log's table lose records, or let others at it. */
const TABLE_CHANGES = [
  "DeleteResourcePolicy",
  "DeleteTable",
  "PutResourcePolicy",
  "UpdateContinuousBackups",
  "UpdateTable",
  "UpdateTimeToLive",
]
/** What could make the bucket of exported audit records lose some, or lock new ones for a shorter time. */
const EXPORT_CHANGES = [
  "DeleteBucket",
  "DeleteBucketPolicy",
  "PutBucketLifecycle",
  "PutBucketObjectLockConfiguration",
  "PutBucketPolicy",
  "PutBucketVersioning",
]
/** What gives roles of the stage other permissions, or to others: by the roles, and by their policies. */
const ROLE_CHANGES = [
  "AttachRolePolicy",
  "CreatePolicyVersion",
  "DeleteRolePermissionsBoundary",
  "DeleteRolePolicy",
  "DetachRolePolicy",
  "PutRolePermissionsBoundary",
  "PutRolePolicy",
  "SetDefaultPolicyVersion",
  "UpdateAssumeRolePolicy",
]
/** What makes functions of the stage do something else, or lets others call them. A version of the API may follow. */
const FUNCTION_CHANGES = ["AddPermission", "UpdateFunctionCode", "UpdateFunctionConfiguration"]
/** What a deployment does is what its reviewers have seen. */
const NOT_BY_DEPLOYMENT = { sourceIPAddress: Match.anythingBut("cloudformation.amazonaws.com") }

/**
 * Notifies the stage's topic of changes that attackers and accidents make: of its keys, of the table of the audit log and the
 * bucket that it is exported to, and of its permissions and functions other than by a deployment; and of backups that fail. AWS tells of changes only where CloudTrail logs them.
 */
export function watchChanges(
  scope: Construct,
  resources: StageResources,
  auditExportBucket: string | null,
): void {
  const { stage, stageKey, storageKey, tables, alarmTopic } = resources
  const { account } = Stack.of(scope)
  const watch = (id: string, eventPattern: EventPattern, what: string) =>
    new Rule(scope, id, {
      description: what,
      eventPattern,
      // The CDK's own target would admit every rule of EventBridge to the topic and its key.
      targets: [{ bind: () => ({ arn: alarmTopic.topicArn, input: messageOf(what) }) }],
    })
  const called = (service: string, eventName: readonly unknown[], detail: object): EventPattern => ({
    source: [`aws.${service}`],
    detailType: ["AWS API Call via CloudTrail"],
    detail: { eventSource: [`${service}.amazonaws.com`], eventName: [...eventName], ...detail },
  })
  watch(
    "KeyChanges",
    called("kms", KEY_CHANGES, { resources: { ARN: [stageKey.keyArn, storageKey.keyArn] } }),
    `A key of the stage ${stage.stage} was changed`,
  )
  // Callers may name a table by its ARN.
  const { tableName, tableArn } = find(tables, "table", "audit")
  watch(
    "AuditLogChanges",
    called("dynamodb", TABLE_CHANGES, {
      $or: [
        { requestParameters: { tableName: [tableName, tableArn] } },
        { requestParameters: { resourceArn: [tableArn] } },
      ],
    }),
    `The table of the audit log of the stage ${stage.stage} was changed`,
  )
  if (auditExportBucket !== null) {
    watch(
      "AuditExportChanges",
      called("s3", EXPORT_CHANGES, { requestParameters: { bucketName: [auditExportBucket] } }),
      `The bucket of the audit log of the stage ${stage.stage} was changed`,
    )
  }
  if (stage.region === IAM_REGION) {
    watch(
      "RoleChanges",
      called("iam", ROLE_CHANGES, {
        ...NOT_BY_DEPLOYMENT,
        $or: [
          { requestParameters: { roleName: Match.prefix(stackName(stage, "")) } },
          {
            requestParameters: {
              policyArn: Match.prefix(`arn:aws:iam::${account}:policy/${stackName(stage, "")}`),
            },
          },
        ],
      }),
      `Permissions of the stage ${stage.stage} were changed, not by a deployment`,
    )
  }
  const functionArns = `arn:aws:lambda:${stage.region}:${account}:function:${stackName(stage, "")}`
  watch(
    "FunctionChanges",
    called(
      "lambda",
      FUNCTION_CHANGES.map((prefix) => ({ prefix })),
      {
        ...NOT_BY_DEPLOYMENT,
        // Callers may name a function by its ARN.
        $or: [stackName(stage, ""), functionArns].map((start) => ({
          requestParameters: { functionName: Match.prefix(start) },
        })),
      },
    ),
    `A function of the stage ${stage.stage} was changed, not by a deployment`,
  )
  if (stage.backup !== null) {
    watch(
      "FailedBackups",
      {
        source: ["aws.backup"],
        detailType: ["Backup Job State Change", "Copy Job State Change"],
        detail: { state: ["FAILED", "ABORTED", "EXPIRED"] },
      },
      "A backup of this account failed",
    )
  }
}

/** The mail's text: without the event itself, whose request may be long. */
function messageOf(what: string): RuleTargetInput {
  return RuleTargetInput.fromText(
    `${what}: ${EventField.fromPath("$.detail.eventName")} by ${EventField.fromPath("$.detail.userIdentity.arn")} ` +
      `at ${EventField.time}, event ${EventField.eventId}.`,
  )
}

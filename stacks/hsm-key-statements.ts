import { APP_TAG, KEY_TAG, runTimeTags, TEAM_TAG } from "@sealway/ports"
import type { Stack } from "aws-cdk-lib"
import { PolicyStatement } from "aws-cdk-lib/aws-iam"
import type { StageConfig } from "./config.ts"
import { taggedAs } from "./run-time-tags.ts"

/** The only kind of key that the service creates. KMS compares these with the key that a call uses, too. */
const KIND = { "kms:KeySpec": "ECC_NIST_P256", "kms:KeyUsage": "KEY_AGREEMENT" }
const PENDING_DAYS = "30"

/** Returns the ARN of all keys in a stack's account and region: apps' keys in KMS are created while the service runs. */
export function hsmKeyArns(stack: Stack): string {
  return stack.formatArn({ service: "kms", resource: "key", resourceName: "*" })
}

/**
 * Returns what a function may do with the keys of apps in KMS: create them with the stage's tags, and use, describe and
 * delete only keys with these tags that are for key agreement. The key of the stage is not.
 *
 * @param actions as in IAM: `kms:CreateKey`
 */
export function hsmKeyStatements(
  actions: readonly string[],
  stack: Stack,
  stage: Pick<StageConfig, "stage">,
): readonly PolicyStatement[] {
  const keys = hsmKeyArns(stack)
  const created = taggedAs(stage, TEAM_TAG, APP_TAG, KEY_TAG)
  const tags = Object.entries(runTimeTags(stage.stage))
  const ours = {
    ...KIND,
    ...Object.fromEntries(tags.map(([key, value]) => [`aws:ResourceTag/${key}`, value])),
  }
  const statements = {
    "kms:CreateKey": [
      // IAM knows no key yet.
      statement(["kms:CreateKey"], "*", { ...created, StringEquals: { ...created.StringEquals, ...KIND } }),
      statement(["kms:TagResource"], keys, created),
    ],
    "kms:GetPublicKey": [statement(["kms:GetPublicKey"], keys, { StringEquals: ours })],
    "kms:DeriveSharedSecret": [statement(["kms:DeriveSharedSecret"], keys, { StringEquals: ours })],
    "kms:ListKeys": [statement(["kms:ListKeys"], "*")],
    "kms:ListResourceTags": [statement(["kms:ListResourceTags"], keys)],
    "kms:DescribeKey": [statement(["kms:DescribeKey"], keys, { StringEquals: ours })],
    "kms:ScheduleKeyDeletion": [
      statement(["kms:ScheduleKeyDeletion"], keys, {
        StringEquals: ours,
        NumericEquals: { "kms:ScheduleKeyDeletionPendingWindowInDays": PENDING_DAYS },
      }),
    ],
  }
  return Object.entries(statements).flatMap(([action, each]) => (actions.includes(action) ? each : []))
}

function statement(
  actions: string[],
  resource: string,
  conditions?: Record<string, object>,
): PolicyStatement {
  return new PolicyStatement({ actions, resources: [resource], ...(conditions && { conditions }) })
}

/** The tag with the stage of a resource in AWS. Stacks set it on everything they create. */
export const STAGE_TAG = "sealway:stage"

/**
 * The tag of resources that no stack knows, because the service created them at run time: customers' functions, their
 * log groups, tenants of CloudFront, and keys of apps in KMS. Removing a stage starts with these.
 */
export const MADE_BY_TAG = "sealway:made-by"
export const MADE_BY_SERVICE = "service"

/**
 * The tag with a log group's owner: the ARN of the Lambda function. Customers' functions share one role, whose policy
 * compares this tag with `lambda:SourceFunctionArn` (see stacks/functions.ts), so none can write to the logs of another.
 */
export const LOG_OWNER_TAG = "sealway:function"

/** The tags of a key that the service creates in KMS: whose it is, and which key version's. */
export const TEAM_TAG = "sealway:team"
export const APP_TAG = "sealway:app"
/** Different for each key in KMS. The record of the key version names it. */
export const KEY_TAG = "sealway:key"

/**
 * Returns the tags of what a stage's service creates in AWS at run time.
 *
 * @param stage null: the service runs in no stage, and nothing is tagged
 */
export function runTimeTags(stage: string | null): Readonly<Record<string, string>> {
  return stage === null ? {} : { [STAGE_TAG]: stage, [MADE_BY_TAG]: MADE_BY_SERVICE }
}

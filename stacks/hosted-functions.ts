import { LOG_OWNER_TAG } from "@sealway/ports"
import { ArnFormat, type Stack } from "aws-cdk-lib"
import { PolicyStatement } from "aws-cdk-lib/aws-iam"
import { functionNames } from "./names.ts"

/**
 * Returns the ARNs of the Lambda functions of one stage that run customers' code: all there will be, since none exists
 * at deployment.
 */
export function hostedFunctionArns(stack: Stack, prefix: string): string {
  return stack.formatArn({
    service: "lambda",
    resource: "function",
    resourceName: functionNames(prefix),
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  })
}

/** Returns the ARNs of their log groups, and of the streams of these. */
export function functionLogArns(stack: Stack, prefix: string): string {
  return stack.formatArn({
    service: "logs",
    resource: "log-group",
    resourceName: `/aws/lambda/${functionNames(prefix)}`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  })
}

/**
 * Lets a customer's function write only to the log group that was created for it. All functions share one role, and
 * their code holds its credentials, so the statement must tell them apart by something that code cannot choose:
 * `lambda:SourceFunctionArn`, which Lambda puts into the credentials. It is present in calls of the code and also when
 * Lambda itself delivers logs (Lambda's developer guide, "Using source function ARN to control function access
 * behavior"). The group names its owner in a tag, which the role can neither set nor change; a stream has its group's
 * tags (service authorization reference of CloudWatch Logs). The role cannot create groups either: without the group
 * that the worker creates, nothing is logged.
 *
 * A role for each app would work as well, but the worker would need permission to create roles, and an account has
 * 1,000.
 */
export function writeOwnLogs(stack: Stack, prefix: string): PolicyStatement {
  return new PolicyStatement({
    actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
    resources: [functionLogArns(stack, prefix)],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: IAM fills this variable in for each call
    conditions: { StringEquals: { [`aws:ResourceTag/${LOG_OWNER_TAG}`]: "${lambda:SourceFunctionArn}" } },
  })
}

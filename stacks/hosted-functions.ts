import { ArnFormat, type Stack } from "aws-cdk-lib"
import { functionNames } from "./names.ts"

/** The Lambda functions that run customers' code, of one stage: all there will be, for none is there at deployment. */
export function hostedFunctionArns(stack: Stack, prefix: string): string {
  return stack.formatArn({
    service: "lambda",
    resource: "function",
    resourceName: functionNames(prefix),
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  })
}

/** Their log groups, and the streams of these. */
export function functionLogArns(stack: Stack, prefix: string): string {
  return stack.formatArn({
    service: "logs",
    resource: "log-group",
    resourceName: `/aws/lambda/${functionNames(prefix)}`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  })
}

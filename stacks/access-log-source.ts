import type { Stack } from "aws-cdk-lib"
import type { ILogGroup } from "aws-cdk-lib/aws-logs"
import { exportForGood } from "./exports.ts"

/** A log with access records among its lines. */
export interface AccessLogSource {
  /** The name of the subscription. */
  readonly name: string
  readonly logGroup: ILogGroup
}

/** Lets the stack that carries access records subscribe to a log of another stack. */
export function accessLogOf(stack: Stack, name: string, logGroup: ILogGroup): AccessLogSource {
  exportForGood(stack, logGroup.logGroupName, logGroup.logGroupArn)
  return { name, logGroup }
}

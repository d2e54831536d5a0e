import { RemovalPolicy } from "aws-cdk-lib"
import type { StageConfig } from "./config.ts"

/** Returns what happens to keys, data and logs when their stack is deleted, or no longer has them. */
export function removalPolicyOf({ isProtected }: StageConfig): RemovalPolicy {
  return isProtected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY
}

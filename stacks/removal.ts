import { RemovalPolicy } from "aws-cdk-lib"
import type { StageConfig } from "./config.ts"

/** What becomes of keys, data and logs when their stack goes, or no longer has them. */
export function removalPolicyOf({ isProtected }: StageConfig): RemovalPolicy {
  return isProtected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY
}

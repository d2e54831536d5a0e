import type { CfnDistribution } from "aws-cdk-lib/aws-cloudfront"

/** Every method that CloudFront knows. */
export const ALL_METHODS = ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "POST", "DELETE"] as const

/** The one region whose CloudWatch has the metrics of CloudFront. */
export const CLOUDFRONT_METRICS_REGION = "us-east-1"

/** What CloudFront caches for ten seconds by default, and would return to another caller. */
const KEPT_ERRORS = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504]

/** Returns the settings of a distribution that caches no error, and passes each on as it is. */
export function uncachedErrors(): CfnDistribution.CustomErrorResponseProperty[] {
  return KEPT_ERRORS.map((errorCode) => ({ errorCode, errorCachingMinTtl: 0 }))
}

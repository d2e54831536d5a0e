import { CfnWebACL } from "aws-cdk-lib/aws-wafv2"
import type { Construct } from "constructs"
import type { RelayFirewall } from "./config.ts"

/**
 * AWS's own rules that tell attackers from callers by more than the look of a body. The common rule set is missing: it
 * refuses bodies above 8 KB and everything that resembles HTML or a path, which requests to arbitrary APIs do.
 */
const MANAGED_RULES = ["AWSManagedRulesAmazonIpReputationList", "AWSManagedRulesKnownBadInputsRuleSet"]
const WINDOW_SECONDS = 300
const TOO_MANY_REQUESTS = 429

/**
 * Creates the web ACL of CloudFront in front of the relays. It keeps no samples of requests and has no log: both would
 * contain headers, paths and queries, which relays protect.
 *
 * @param name of the web ACL
 * @returns its ARN
 */
export function createFirewall(
  scope: Construct,
  name: string,
  { requestsPer5Minutes }: RelayFirewall,
): string {
  const visibilityOf = (metricName: string) => ({
    metricName,
    cloudWatchMetricsEnabled: true,
    sampledRequestsEnabled: false,
  })
  const { attrArn } = new CfnWebACL(scope, "Firewall", {
    name,
    scope: "CLOUDFRONT",
    defaultAction: { allow: {} },
    visibilityConfig: visibilityOf(name),
    rules: [
      {
        name: "RequestsOfOneAddress",
        priority: 0,
        statement: {
          rateBasedStatement: {
            aggregateKeyType: "IP",
            evaluationWindowSec: WINDOW_SECONDS,
            limit: requestsPer5Minutes,
          },
        },
        action: { block: { customResponse: { responseCode: TOO_MANY_REQUESTS } } },
        visibilityConfig: visibilityOf("RequestsOfOneAddress"),
      },
      ...MANAGED_RULES.map((rules, index) => ({
        name: rules,
        priority: index + 1,
        statement: { managedRuleGroupStatement: { vendorName: "AWS", name: rules } },
        overrideAction: { none: {} },
        visibilityConfig: visibilityOf(rules),
      })),
    ],
  })
  return attrArn
}

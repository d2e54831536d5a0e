import { CfnRecordSet } from "aws-cdk-lib/aws-route53"
import type { Construct } from "constructs"

const RECORD_TTL_SECONDS = "300"

/** Creates a CNAME in a Route 53 zone. */
export function nameInDns(
  scope: Construct,
  id: string,
  {
    hostedZoneId,
    name,
    target,
  }: { readonly hostedZoneId: string; readonly name: string; readonly target: string },
): void {
  new CfnRecordSet(scope, id, {
    hostedZoneId,
    name,
    type: "CNAME",
    ttl: RECORD_TTL_SECONDS,
    resourceRecords: [target],
  })
}

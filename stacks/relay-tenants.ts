import { DISTRIBUTION_TAG } from "@sealway/relay/cloudfront-edge"
import type { Stack } from "aws-cdk-lib"
import { PolicyStatement } from "aws-cdk-lib/aws-iam"
import type { StageConfig } from "./config.ts"
import { taggedAs } from "./run-time-tags.ts"
import type { RelayEdge } from "./stage-resources.ts"

/** All of CloudFront's certificates are there. */
const CERTIFICATE_REGION = "us-east-1"

const CREATE = "cloudfront:CreateDistributionTenant"
const UPDATE = "cloudfront:UpdateDistributionTenant"
/** Actions that change an existing tenant. */
const CHANGES = new Set([UPDATE, "cloudfront:DeleteDistributionTenant"])

/**
 * Returns what a function may do with the distribution tenants of its stage: a tenant is created with tags of its
 * distribution and stage, and none can be changed without the tag of the distribution. A request to CloudFront for a
 * certificate takes the right to request one from ACM.
 *
 * @param actions as in IAM: `cloudfront:CreateDistributionTenant`
 * @throws Error when the stage has no relays
 */
export function tenantStatements(
  actions: readonly string[],
  stack: Stack,
  stage: Pick<StageConfig, "stage">,
  edge: RelayEdge | null,
): readonly PolicyStatement[] {
  if (actions.length === 0) return []
  if (edge === null) throw new Error("A function is to manage relays' domains in a stage that has none.")
  const { distributionId, distributionArn, connectionGroupArn } = edge
  const tenants = stack.formatArn({
    service: "cloudfront",
    region: "",
    resource: "distribution-tenant",
    resourceName: "*",
  })
  const statements: PolicyStatement[] = []
  const allow = (
    allowed: readonly string[],
    resources: readonly string[],
    conditions: Record<string, object> | null,
  ) => {
    if (allowed.length === 0) return
    statements.push(
      new PolicyStatement({
        actions: [...allowed],
        resources: [...resources],
        ...(conditions !== null && { conditions }),
      }),
    )
  }
  const isMaking = actions.includes(CREATE)
  const isChanging = actions.includes(UPDATE)
  const tagged = taggedAs(stage, DISTRIBUTION_TAG)
  allow(isMaking ? [CREATE, "cloudfront:TagResource"] : [], [tenants], {
    ...tagged,
    StringEquals: { ...tagged.StringEquals, [`aws:RequestTag/${DISTRIBUTION_TAG}`]: distributionId },
  })
  allow(
    [...(isMaking ? [CREATE] : []), ...(isChanging ? [UPDATE] : [])],
    [distributionArn, connectionGroupArn],
    null,
  )
  allow(
    actions.filter((action) => CHANGES.has(action)),
    [tenants],
    { StringEquals: { [`aws:ResourceTag/${DISTRIBUTION_TAG}`]: distributionId } },
  )
  allow(
    actions.filter((action) => action !== CREATE && !CHANGES.has(action)),
    [tenants],
    null,
  )
  const certificates = stack.formatArn({
    service: "acm",
    region: CERTIFICATE_REGION,
    resource: "certificate",
    resourceName: "*",
  })
  const asking = ["acm:AddTagsToCertificate", "acm:DescribeCertificate", "acm:RequestCertificate"]
  allow(isMaking || isChanging ? asking : [], [certificates], null)
  return statements
}

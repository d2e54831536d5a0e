import type { TemplateResource } from "./read-templates.ts"

/** A quota of AWS of which a stage takes a part. */
export interface StageQuota {
  readonly name: string
  /** What a new account has, as documented in November 2026. Service Quotas shows yours. */
  readonly default: number
  /** The types of resources that count. */
  readonly types: readonly string[]
}

export const STAGE_QUOTAS: readonly StageQuota[] = [
  { name: "API Gateway: routes of an API", default: 300, types: ["AWS::ApiGatewayV2::Route"] },
  { name: "API Gateway: integrations of an API", default: 300, types: ["AWS::ApiGatewayV2::Integration"] },
  { name: "IAM: roles of an account", default: 1_000, types: ["AWS::IAM::Role"] },
  { name: "IAM: managed policies of an account", default: 1_500, types: ["AWS::IAM::ManagedPolicy"] },
  {
    name: "CloudWatch: alarms of a region",
    default: 5_000,
    types: ["AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm"],
  },
  { name: "CloudFormation: stacks of a region", default: 2_000, types: ["AWS::CloudFormation::Stack"] },
  { name: "EventBridge: rules of a bus", default: 300, types: ["AWS::Events::Rule"] },
  { name: "VPC: networks of a region", default: 5, types: ["AWS::EC2::VPC"] },
  { name: "VPC: NAT gateways of an availability zone", default: 5, types: [] },
  { name: "EC2: Elastic IP addresses of a region", default: 5, types: ["AWS::EC2::EIP"] },
  {
    name: "CloudFront: response headers policies of an account",
    default: 20,
    types: ["AWS::CloudFront::ResponseHeadersPolicy"],
  },
  { name: "CloudFront: functions of an account", default: 100, types: ["AWS::CloudFront::Function"] },
  { name: "CloudFront: distributions of an account", default: 200, types: ["AWS::CloudFront::Distribution"] },
  { name: "KMS: keys of a region", default: 100_000, types: ["AWS::KMS::Key"] },
]

/** CloudFormation's limit, which cannot be raised. */
export const MAX_RESOURCES_OF_STACK = 500

/** Returns how much of a quota resources take. */
export function takenOf({ types }: StageQuota, resources: readonly TemplateResource[]): number {
  // Of NAT gateways, each zone has one.
  if (types.length === 0) return resources.some(({ type }) => type === "AWS::EC2::NatGateway") ? 1 : 0
  return resources.filter(({ type }) => types.includes(type)).length
}

/** A stage may take so much of a default quota: another must fit beside it, and the next endpoints. */
export const MAX_SHARE = 0.7

/** Returns the quotas of which resources take more than `MAX_SHARE`, each as a line. */
export function overusedQuotas(resources: readonly TemplateResource[]): readonly string[] {
  return STAGE_QUOTAS.filter((quota) => !ACCEPTED.has(quota.name)).flatMap((quota) => {
    const share = takenOf(quota, resources) / quota.default
    return share > MAX_SHARE ? [`${quota.name}: ${Math.round(share * 100)} % of ${quota.default}`] : []
  })
}

/** Quotas of which a stage may take more, and why. */
const ACCEPTED: ReadonlySet<string> = new Set([
  // A stage without a domain has one address, and so one API. Every route of the service fits, and no second stage shares it.
  "API Gateway: routes of an API",
])

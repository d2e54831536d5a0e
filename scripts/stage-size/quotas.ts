import * as z from "zod"
import type { TemplateResource } from "./read-templates.ts"

/** A quota of AWS of which a stage takes a part. */
export interface StageQuota {
  readonly name: string
  /** What a new account has, as documented in November 2026. Service Quotas shows yours. */
  readonly default: number
  /** Returns how much of it resources take. */
  readonly taken: (resources: readonly TemplateResource[]) => number
  /** How much of it a stage may take. Default: `MAX_SHARE`. */
  readonly maxShare?: number
}

/** Another stage must fit beside a stage, and the next endpoints. */
const MAX_SHARE = 0.7
/** Another stage has APIs of its own: only the next endpoints must fit. */
const MAX_API_SHARE = 0.8
/** A single document grows only with what it is about. */
const MAX_DOCUMENT_SHARE = 0.9

export const STAGE_QUOTAS: readonly StageQuota[] = [
  {
    name: "API Gateway: routes of an API",
    default: 300,
    taken: largestApi("AWS::ApiGatewayV2::Route"),
    maxShare: MAX_API_SHARE,
  },
  {
    name: "API Gateway: integrations of an API",
    default: 300,
    taken: largestApi("AWS::ApiGatewayV2::Integration"),
    maxShare: MAX_API_SHARE,
  },
  { name: "API Gateway: APIs of a region", default: 600, taken: all("AWS::ApiGatewayV2::Api") },
  { name: "IAM: roles of an account", default: 1_000, taken: all("AWS::IAM::Role") },
  { name: "IAM: managed policies of an account", default: 1_500, taken: all("AWS::IAM::ManagedPolicy") },
  {
    name: "IAM: characters of a managed policy",
    default: 6_144,
    taken: longest("AWS::IAM::ManagedPolicy", "PolicyDocument"),
    maxShare: MAX_DOCUMENT_SHARE,
  },
  { name: "KMS: characters of a key policy", default: 32_768, taken: longest("AWS::KMS::Key", "KeyPolicy") },
  {
    name: "Lambda: characters of a function's environment",
    default: 4_096,
    taken: longest("AWS::Lambda::Function", "Environment"),
    maxShare: MAX_DOCUMENT_SHARE,
  },
  {
    name: "CloudWatch: alarms of a region",
    default: 5_000,
    taken: all("AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm"),
  },
  { name: "CloudFormation: stacks of a region", default: 2_000, taken: all("AWS::CloudFormation::Stack") },
  { name: "CloudFormation: resources of a stack", default: 500, taken: resourcesOfLargestStack },
  { name: "EventBridge: rules of a bus", default: 300, taken: all("AWS::Events::Rule") },
  { name: "VPC: networks of a region", default: 5, taken: all("AWS::EC2::VPC") },
  {
    name: "VPC: NAT gateways of an availability zone",
    default: 5,
    // Each zone has one.
    taken: (resources) => Math.min(1, all("AWS::EC2::NatGateway")(resources)),
  },
  { name: "EC2: Elastic IP addresses of a region", default: 5, taken: all("AWS::EC2::EIP") },
  {
    name: "CloudFront: response headers policies of an account",
    default: 20,
    taken: all("AWS::CloudFront::ResponseHeadersPolicy"),
  },
  { name: "CloudFront: functions of an account", default: 100, taken: all("AWS::CloudFront::Function") },
  {
    name: "CloudFront: distributions of an account",
    default: 200,
    taken: all("AWS::CloudFront::Distribution"),
  },
  { name: "KMS: keys of a region", default: 100_000, taken: all("AWS::KMS::Key") },
]

/** Returns the quotas of which resources take more than they may, each as a line. */
export function overusedQuotas(resources: readonly TemplateResource[]): readonly string[] {
  return STAGE_QUOTAS.flatMap(({ name, default: quota, taken, maxShare = MAX_SHARE }) => {
    const share = taken(resources) / quota
    return share > maxShare ? [`${name}: ${Math.round(share * 100)} % of ${quota}`] : []
  })
}

/** Counts all resources of some types. */
function all(...types: readonly string[]): StageQuota["taken"] {
  return (resources) => resources.filter(({ type }) => types.includes(type)).length
}

/** Counts the resources of a type that the API has that has most of them. */
function largestApi(type: string): StageQuota["taken"] {
  return (resources) => {
    const found = resources.filter((each) => each.type === type)
    const counts = [...Map.groupBy(found, ({ properties }) => apiOf(properties.ApiId)).values()]
    return Math.max(0, ...counts.map(({ length }) => length))
  }
}

const apiSchema = z.union([
  z.object({ Ref: z.string() }).transform(({ Ref }) => Ref),
  z
    .object({ "Fn::ImportValue": z.string().regex(/ExportsOutputRef\w+[0-9A-F]{8}$/) })
    .transform((value) => value["Fn::ImportValue"].replace(/^.*ExportsOutputRef(\w+)[0-9A-F]{8}$/, "$1")),
])

/** Returns the logical id of an API that a resource names: of the same stack, or by what that stack exports. */
function apiOf(apiId: unknown): string {
  return apiSchema.parse(apiId)
}

/** Measures the longest value of a property, in the template: references are about as long as the ARNs that replace them. */
function longest(type: string, property: string): StageQuota["taken"] {
  return (resources) =>
    Math.max(
      0,
      ...resources
        .filter((each) => each.type === type)
        .map(({ properties }) => JSON.stringify(properties[property] ?? "").length),
    )
}

/** Counts the resources of the stack that has most of them. */
function resourcesOfLargestStack(resources: readonly TemplateResource[]): number {
  const stacks = Map.groupBy(resources, ({ stack }) => stack)
  // Without the one for the stack itself.
  return Math.max(0, ...[...stacks.values()].map(({ length }) => length - 1))
}

import { paginateListDistributionTenants } from "@aws-sdk/client-cloudfront"
import { paginateDescribeLogGroups } from "@aws-sdk/client-cloudwatch-logs"
import { paginateListFunctions } from "@aws-sdk/client-lambda"
import {
  paginateGetResources,
  type ResourceGroupsTaggingAPIClient,
} from "@aws-sdk/client-resource-groups-tagging-api"
import { createHsmKeys } from "@sealway/keys"
import { MADE_BY_SERVICE, MADE_BY_TAG, runTimeTags, STAGE_TAG } from "@sealway/ports"
import { LEFT_ALONE, stackName } from "../../stacks/names.ts"
import type { AwsAccount } from "./aws-account.ts"
import { holdsObjects } from "./object-versions.ts"

/** A distribution tenant of CloudFront. */
export interface LeftTenant {
  readonly id: string
  readonly name: string
  readonly arn: string
  readonly domains: readonly string[]
}

/** What a stage's service created while it ran, and what keeps CloudFormation from deleting the stage. */
export interface Leftovers {
  /** Names of Lambda functions that run customers' code. */
  readonly functions: readonly string[]
  /** Names of their log groups. */
  readonly logGroups: readonly string[]
  readonly tenants: readonly LeftTenant[]
  /** Ids of apps' keys in KMS. */
  readonly keys: readonly string[]
  /** Names of buckets that are not empty. */
  readonly buckets: readonly string[]
  /** ARNs of other resources with the stage's tag. They are left alone. */
  readonly unknown: readonly string[]
}

export interface StagePlace {
  readonly stage: string
  /** The prefix of the names of its customers' functions, see `functionPrefix`. */
  readonly functionPrefix: string
}

/** The prefix of the names of Lambda's log groups. */
const LOG_GROUPS = "/aws/lambda/"

const FUNCTION_ARN = /^arn:aws:lambda:[^:]+:\d+:function:(?<name>[^:]+)$/
const LOG_GROUP_ARN = /^arn:aws:logs:[^:]+:\d+:log-group:(?<name>[^:]+)(?::\*)?$/
const TENANT_ARN = /^arn:aws:cloudfront::\d+:distribution-tenant\/(?<name>[^/]+)$/
const DISTRIBUTION_ARN = /^arn:aws:cloudfront::\d+:distribution\/(?<name>[^/]+)$/
const KEY_ARN = /^arn:aws:kms:[^:]+:\d+:key\/(?<name>[^/]+)$/
const BUCKET_ARN = /^arn:aws:s3:::(?<name>[^/]+)$/

/** Names that the service gives tenants (packages/service/relay). */
const TENANT_NAME = /^relay-[0-9a-f]{40}$/

/**
 * Finds by the stage's tag what its service created while it ran; the dashboard creates nothing. It also finds by name,
 * because functions and log groups of releases before the tag have none, and because tags are listed some time after
 * they are set. Tenants are listed by the stage's distribution, and keys by KMS, which says at once which are going to be
 * deleted.
 *
 * Anybody who may set tags can tag somebody else's resources. So resources with the tags, but without the names that
 * the service gives, are only reported.
 */
export async function findLeftovers(place: StagePlace, account: AwsAccount): Promise<Leftovers> {
  const made = { [STAGE_TAG]: place.stage, [MADE_BY_TAG]: MADE_BY_SERVICE }
  const ofStage = { [STAGE_TAG]: place.stage }
  const tagged = [
    ...(await listTagged(account.tags, made)),
    ...(await listTagged(account.cloudfrontTags, made)),
  ]
  const distributions = await listTagged(account.cloudfrontTags, ofStage, "cloudfront")
  const tenants = await listTenants(namesIn(distributions, DISTRIBUTION_ARN), account)
  const buckets = (await listTagged(account.tags, ofStage, "s3")).filter((arn) => BUCKET_ARN.test(arn))
  const isBucketOfStage = (arn: string) => arn.startsWith(`arn:aws:s3:::${stackName(place, "")}`)
  const functionNames = namesIn(tagged, FUNCTION_ARN).filter((name) => isOfStage(name, place))
  const logGroupNames = namesIn(tagged, LOG_GROUP_ARN).filter((name) => isLogGroupOfStage(name, place))
  const known = new Set([...functionNames, ...logGroupNames])
  const isKnown = (arn: string) =>
    TENANT_ARN.test(arn) ||
    KEY_ARN.test(arn) ||
    [FUNCTION_ARN, LOG_GROUP_ARN].some((each) => known.has(namesIn([arn], each)[0] ?? ""))
  return {
    functions: union(functionNames, await listFunctions(place, account)),
    logGroups: union(logGroupNames, await listLogGroups(place, account)),
    tenants: tenants.filter(({ name }) => TENANT_NAME.test(name)),
    keys: await listKeys(place, account),
    buckets: await filterAsync(namesIn(buckets.filter(isBucketOfStage), BUCKET_ARN), (bucket) =>
      holdsObjects(account.s3, bucket),
    ),
    unknown: union(
      [...tagged.filter((arn) => !isKnown(arn)), ...buckets.filter((arn) => !isBucketOfStage(arn))],
      tenants.flatMap(({ name, arn }) => (TENANT_NAME.test(name) ? [] : [arn])),
    ),
  }
}

function isOfStage(functionName: string, { functionPrefix }: StagePlace): boolean {
  return functionName.startsWith(`${functionPrefix}func_`)
}

function isLogGroupOfStage(name: string, place: StagePlace): boolean {
  return name.startsWith(LOG_GROUPS) && isOfStage(name.slice(LOG_GROUPS.length), place)
}

export function isEmpty({ functions, logGroups, tenants, keys, buckets, unknown }: Leftovers): boolean {
  return [functions, logGroups, tenants, keys, buckets, unknown].every(({ length }) => length === 0)
}

async function listTagged(
  client: ResourceGroupsTaggingAPIClient,
  tags: Readonly<Record<string, string>>,
  service?: string,
): Promise<readonly string[]> {
  const TagFilters = Object.entries(tags).map(([Key, value]) => ({ Key, Values: [value] }))
  const found: string[] = []
  const wanted = { TagFilters, ...(service !== undefined && { ResourceTypeFilters: [service] }) }
  for await (const { ResourceTagMappingList = [] } of paginateGetResources({ client }, wanted)) {
    // Resources that had the tags once are listed as well.
    for (const { ResourceARN = "", Tags = [] } of ResourceTagMappingList) {
      const isTagged = TagFilters.every(({ Key, Values }) =>
        Tags.some((tag) => tag.Key === Key && tag.Value === Values[0]),
      )
      const isLeftAlone = Tags.some(({ Key = "" }) => LEFT_ALONE.includes(Key))
      if (isTagged && !isLeftAlone) found.push(ResourceARN)
    }
  }
  return found
}

function namesIn(arns: readonly string[], pattern: RegExp): readonly string[] {
  return arns.flatMap((arn) => pattern.exec(arn)?.groups?.name ?? [])
}

async function listFunctions(place: StagePlace, { lambda }: AwsAccount): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {}))
    for (const { FunctionName = "" } of Functions)
      if (isOfStage(FunctionName, place)) found.push(FunctionName)
  return found
}

async function listLogGroups(
  { functionPrefix }: StagePlace,
  { logs }: AwsAccount,
): Promise<readonly string[]> {
  const found: string[] = []
  const wanted = { logGroupNamePrefix: `${LOG_GROUPS}${functionPrefix}func_` }
  for await (const { logGroups = [] } of paginateDescribeLogGroups({ client: logs }, wanted))
    for (const { logGroupName } of logGroups) if (logGroupName !== undefined) found.push(logGroupName)
  return found
}

async function listKeys({ stage }: StagePlace, { keys: held }: AwsAccount): Promise<readonly string[]> {
  const keys = await Array.fromAsync(createHsmKeys(held, runTimeTags(stage)).list())
  return keys.map(({ keyId }) => keyId)
}

async function listTenants(
  distributions: readonly string[],
  { cloudfront }: AwsAccount,
): Promise<readonly LeftTenant[]> {
  const found: LeftTenant[] = []
  for (const DistributionId of distributions) {
    const wanted = { AssociationFilter: { DistributionId } }
    for await (const page of paginateListDistributionTenants({ client: cloudfront }, wanted))
      for (const { Id, Name = "", Arn = "", Domains = [] } of page.DistributionTenantList ?? [])
        if (Id !== undefined) {
          found.push({ id: Id, name: Name, arn: Arn, domains: Domains.flatMap(({ Domain }) => Domain ?? []) })
        }
  }
  return found
}

async function filterAsync<Value>(
  values: readonly Value[],
  isKept: (value: Value) => Promise<boolean>,
): Promise<readonly Value[]> {
  const kept: Value[] = []
  for (const value of values) if (await isKept(value)) kept.push(value)
  return kept
}

function union(some: readonly string[], others: readonly string[]): readonly string[] {
  return [...new Set([...some, ...others])].sort()
}

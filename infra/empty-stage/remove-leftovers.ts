import {
  DeleteDistributionTenantCommand,
  GetDistributionTenantCommand,
  UpdateDistributionTenantCommand,
} from "@aws-sdk/client-cloudfront"
import { DeleteLogGroupCommand } from "@aws-sdk/client-cloudwatch-logs"
import { DeleteFunctionCommand } from "@aws-sdk/client-lambda"
import { createHsmKeys } from "@sealway/keys"
import type { AwsAccount } from "./aws-account.ts"
import type { Leftovers } from "./find-leftovers.ts"
import { emptyBucket } from "./object-versions.ts"

export interface RemovalOptions {
  /** Called for each thing that is deleted. */
  readonly report: (line: string) => void
  readonly sleep: (ms: number) => Promise<void>
}

/** CloudFront takes minutes to switch a tenant off everywhere; before that it does not delete it. */
const TENANT_PAUSE_MS = 15_000
const TENANT_ATTEMPTS = 80

/**
 * Deletes what was found. Ignores what is gone meanwhile, so it can be interrupted and run again.
 *
 * @throws Error when CloudFront has not switched tenants off after 20 minutes, or AWS refuses something
 */
export async function removeLeftovers(
  { functions, logGroups, tenants, keys, buckets }: Leftovers,
  account: AwsAccount,
  { report, sleep }: RemovalOptions,
): Promise<void> {
  const { lambda, logs, s3 } = account
  for (const FunctionName of functions) {
    await unlessGone(lambda.send(new DeleteFunctionCommand({ FunctionName })))
    report(`Deleted the function ${FunctionName}.`)
  }
  // After their functions, so that nothing writes to them any more.
  for (const logGroupName of logGroups) {
    await unlessGone(logs.send(new DeleteLogGroupCommand({ logGroupName })))
    report(`Deleted the log group ${logGroupName}.`)
  }
  // All are switched off before it waits for the first.
  for (const { id } of tenants) await switchOff(id, account)
  for (const { id, domains } of tenants) {
    await deleteTenant(id, account, sleep)
    report(`Deleted the distribution tenant ${id} (${domains.join(", ")}).`)
  }
  for (const keyId of keys) {
    await createHsmKeys(account.keys, {}).scheduleDeletion(keyId)
    report(`KMS will delete the key ${keyId} in 30 days.`)
  }
  for (const bucket of buckets) {
    await emptyBucket(s3, bucket)
    report(`Emptied the bucket ${bucket}.`)
  }
}

async function switchOff(Identifier: string, { cloudfront }: AwsAccount): Promise<void> {
  const found = await unlessGone(cloudfront.send(new GetDistributionTenantCommand({ Identifier })))
  const { DistributionTenant: tenant, ETag } = found ?? {}
  if (tenant === undefined || tenant.Enabled !== true) return
  await unlessGone(
    cloudfront.send(
      new UpdateDistributionTenantCommand({
        Id: Identifier,
        IfMatch: ETag,
        DistributionId: tenant.DistributionId,
        ConnectionGroupId: tenant.ConnectionGroupId,
        Domains: tenant.Domains?.map(({ Domain }) => ({ Domain })),
        Customizations: tenant.Customizations,
        Parameters: tenant.Parameters,
        Enabled: false,
      }),
    ),
  )
}

async function deleteTenant(
  Id: string,
  { cloudfront }: AwsAccount,
  sleep: RemovalOptions["sleep"],
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    // Each change, also CloudFront's own, creates another version, which must be named.
    const found = await unlessGone(cloudfront.send(new GetDistributionTenantCommand({ Identifier: Id })))
    if (found === null) return
    try {
      await unlessGone(cloudfront.send(new DeleteDistributionTenantCommand({ Id, IfMatch: found.ETag })))
      return
    } catch (error) {
      if (!isNamed(error, ...NOT_YET)) throw error
      if (attempt === TENANT_ATTEMPTS) {
        throw new Error(
          `CloudFront has not disabled the distribution tenant ${Id} yet. Run this again later.`,
          { cause: error },
        )
      }
    }
    await sleep(TENANT_PAUSE_MS)
  }
}

const NOT_YET = ["ResourceNotDisabled", "ResourceInUse", "PreconditionFailed", "InvalidIfMatchVersion"]
const GONE = ["ResourceNotFoundException", "EntityNotFound"]

async function unlessGone<Answer>(answer: Promise<Answer>): Promise<Answer | null> {
  try {
    return await answer
  } catch (error) {
    if (isNamed(error, ...GONE)) return null
    throw error
  }
}

function isNamed(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof Error && names.includes(error.name)
}

import { resolveStage } from "../../stacks/config.ts"
import { functionPrefix } from "../../stacks/names.ts"
import type { AwsAccount } from "./aws-account.ts"
import { findLeftovers, isEmpty, type Leftovers } from "./find-leftovers.ts"
import { removeLeftovers } from "./remove-leftovers.ts"

export interface EmptyingOptions {
  readonly stage: string
  /** Only lists what would be deleted. */
  readonly isDryRun: boolean
  /** Asks the user for a yes or no. Null: there is no terminal to ask on. */
  readonly confirm: ((question: string) => Promise<boolean>) | null
  /** Deletes without asking. */
  readonly isConfirmed: boolean
  readonly print: (line: string) => void
  readonly sleep: (ms: number) => Promise<void>
  readonly connect: (region: string) => AwsAccount
}

const MAX_LOOKS = 6
const LOOK_PAUSE_MS = 5_000

/** 0: nothing is left, or nothing had to be done. 1: something is left. 2: used wrongly. */
export type EmptyingStatus = 0 | 1 | 2

/**
 * Deletes what a stage's service created while it ran, and what keeps CloudFormation from deleting the stage:
 * customers' functions with their log groups and code, the relays' tenants of CloudFront, and apps' keys in KMS.
 */
export async function emptyStage({
  stage: name,
  isDryRun,
  confirm,
  isConfirmed,
  print,
  sleep,
  connect,
}: EmptyingOptions): Promise<EmptyingStatus> {
  const { stage, region, isProtected } = resolveStage(name)
  if (isProtected) {
    print(`The stage ${stage} is protected. Set isProtected: false in stacks/config.ts and deploy it first.`)
    return 2
  }
  const account = connect(region)
  const place = { stage, functionPrefix: functionPrefix({ stage }) }
  const found = await findLeftovers(place, account)
  if (isEmpty(found)) {
    print(`The stage ${stage} in ${region} has no leftovers: CloudFormation can remove everything.`)
    return 0
  }
  print(`Resources that the service of the stage ${stage} in ${region} created while it ran:`)
  for (const line of describe(found)) print(`  ${line}`)
  if (isDryRun) {
    print("Nothing was removed.")
    return 0
  }
  if (!isConfirmed) {
    if (confirm === null) {
      print("No terminal to confirm on. Pass --yes.")
      return 2
    }
    if (!(await confirm(`Remove all of it from the stage ${stage}? This cannot be undone.`))) {
      print("Nothing was removed.")
      return 1
    }
  }
  await removeLeftovers(found, account, { report: print, sleep })
  return reportRest(await lookAgain(() => findLeftovers(place, account), sleep), stage, print)
}

/** Looks until nothing is listed that can be deleted, for a while: AWS still lists tags of deleted resources. */
async function lookAgain(
  look: () => Promise<Leftovers>,
  sleep: EmptyingOptions["sleep"],
): Promise<Leftovers> {
  for (let looks = 1; ; looks++) {
    const rest = await look()
    if (looks === MAX_LOOKS || isEmpty({ ...rest, unknown: [] })) return rest
    await sleep(LOOK_PAUSE_MS)
  }
}

function reportRest(
  { unknown, ...rest }: Leftovers,
  stage: string,
  print: (line: string) => void,
): EmptyingStatus {
  if (unknown.length > 0) {
    print("These cannot be removed automatically. Remove them by hand:")
    for (const arn of unknown) print(`  ${arn}`)
    return 1
  }
  if (!isEmpty({ ...rest, unknown })) {
    print(
      "Some resources still exist or were created again. If the stage is no longer in use, run this again in a minute.",
    )
    return 1
  }
  print(`Now remove the stage: npx sst remove --stage ${stage}`)
  return 0
}

function describe({ functions, logGroups, tenants, keys, buckets, unknown }: Leftovers): readonly string[] {
  return [
    ...functions.map((name) => `function             ${name}`),
    ...logGroups.map((name) => `log group            ${name}`),
    ...tenants.map(({ id, domains }) => `distribution tenant  ${id} (${domains.join(", ")})`),
    ...keys.map((id) => `key of an app        ${id}, with which values can be decrypted`),
    ...buckets.map((name) => `bucket               ${name}, all versions of all objects`),
    ...unknown.map((arn) => `unknown              ${arn}`),
  ]
}

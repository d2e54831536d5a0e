import {
  GetAccountSettingsCommand,
  GetFunctionConcurrencyCommand,
  LambdaClient,
  paginateListFunctions,
} from "@aws-sdk/client-lambda"
import type { StageConfig } from "../stacks/config.ts"
import { roleName } from "../stacks/names.ts"

/** What Lambda keeps for functions that reserve nothing. Source: its developer guide, "Configuring reserved concurrency". */
const MIN_UNRESERVED = 100

/**
 * Creates a client of Lambda with the credentials that SST deploys with. SST puts them into variables of its own.
 *
 * @param environment of the process that SST started
 */
export function createQuotaClient(
  region: string,
  environment: Readonly<Record<string, string | undefined>>,
): LambdaClient {
  const accessKeyId = environment.SST_AWS_ACCESS_KEY_ID
  const secretAccessKey = environment.SST_AWS_SECRET_ACCESS_KEY
  const sessionToken = environment.SST_AWS_SESSION_TOKEN
  return new LambdaClient({
    region,
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && {
        credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) },
      }),
  })
}

/**
 * Checks that the account has room for the concurrent executions that a stage reserves. CloudFormation would find out only in
 * the middle of the deployment.
 *
 * @throws Error saying how many are missing and what to do
 */
export async function requireReservable(
  { stage, region, reservedConcurrencyOf }: Pick<StageConfig, "stage" | "region" | "reservedConcurrencyOf">,
  lambda: LambdaClient,
): Promise<void> {
  const reserved = Object.entries(reservedConcurrencyOf)
  const wanted = reserved.reduce((sum, [, executions]) => sum + executions, 0)
  if (wanted === 0) return
  const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}))
  const { ConcurrentExecutions: quota, UnreservedConcurrentExecutions: unreserved } = AccountLimit ?? {}
  if (quota === undefined || unreserved === undefined)
    throw new Error("Lambda did not return the account's quota.")
  if (unreserved - wanted >= MIN_UNRESERVED) return
  // What the stage has reserved before becomes free when it reserves again.
  const roles = new Set(reserved.map(([functionName]) => `role/${roleName({ stage }, functionName)}`))
  const available = unreserved + (await reservedByRoles(roles, lambda))
  const missing = wanted + MIN_UNRESERVED - available
  if (missing <= 0) return
  const each = reserved.map(([functionName, executions]) => `${functionName} ${executions}`).join(", ")
  throw new Error(
    `The stage ${stage} reserves ${wanted} concurrent executions of Lambda in ${region} (${each}), and AWS requires ${MIN_UNRESERVED} unreserved for all other functions. ` +
      `The account's quota is ${quota}, of which ${available} are available: ${missing} are missing. ` +
      `Ask AWS for ${quota + missing} or more in Service Quotas (AWS Lambda, "Concurrent executions"), or lower reservedConcurrencyOf of the stage in stacks/config.ts.`,
  )
}

/** Returns how much functions of these roles have reserved. @param roles as their ARNs end: `role/…` */
async function reservedByRoles(roles: ReadonlySet<string>, client: LambdaClient): Promise<number> {
  let reserved = 0
  for await (const { Functions = [] } of paginateListFunctions({ client }, {})) {
    for (const { FunctionName, Role = "" } of Functions) {
      if (!roles.has(Role.replace(/^arn:[^/]*:/, ""))) continue
      const { ReservedConcurrentExecutions = 0 } = await client.send(
        new GetFunctionConcurrencyCommand({ FunctionName }),
      )
      reserved += ReservedConcurrentExecutions
    }
  }
  return reserved
}

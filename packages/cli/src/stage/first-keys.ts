import type { FirstApps, FirstKeys } from "@sealway/management"
import { awsFailure } from "./aws-failure.ts"
import type { StageOutputs } from "./stage-outputs.ts"

/** What a bootstrap came to. `keys` is null when all was there already and no keys were asked for. */
export interface Bootstrapped {
  readonly apps: FirstApps
  readonly keys: FirstKeys | null
}

/**
 * Makes the first team, apps and keys of a stage where there are none, on its tables and its KMS key.
 *
 * @param newKeys whether to issue keys too where the team and the apps are there
 * @throws CommandFailure saying what AWS refuses, or does not find
 */
export async function ensureFirstKeys(
  stage: StageOutputs,
  env: Readonly<Record<string, string | undefined>>,
  newKeys: boolean,
): Promise<Bootstrapped> {
  // Only here: the AWS clients would make every other command slower to start.
  const { createAwsClients, createPlatform, parseConfiguration } = await import("@sealway/platform")
  const { createFirstApps, findFirstApps, issueFirstKeys } = await import("@sealway/management")
  const configuration = parseConfiguration({
    ...endpointsOf(env),
    AWS_REGION: stage.region,
    SEALWAY_CONFIG_TABLE: stage.configTable,
    SEALWAY_EVENTS_TABLE: stage.eventsTable,
    SEALWAY_EVENTS_QUEUE_URL: stage.eventsQueueUrl,
    SEALWAY_KMS_KEY_ID: stage.kmsKey,
    SEALWAY_LOG_LEVEL: "ERROR",
  })
  const clients = createAwsClients(configuration)
  try {
    const platform = createPlatform(configuration, clients)
    const known = await findFirstApps(platform)
    if (known !== null && !newKeys) return { apps: known, keys: null }
    const apps = known ?? (await createFirstApps(platform))
    return { apps, keys: await issueFirstKeys(platform, apps) }
  } catch (error) {
    throw awsFailure(error)
  } finally {
    for (const client of [clients.dynamodb, clients.kms, clients.sqs]) client.destroy()
  }
}

/** AWS's own variables for services that are somewhere else, such as behind an endpoint of a VPC. */
function endpointsOf(env: Readonly<Record<string, string | undefined>>) {
  const { AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL_KMS, AWS_ENDPOINT_URL_SQS } = env
  return { AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL_KMS, AWS_ENDPOINT_URL_SQS }
}

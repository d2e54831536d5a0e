import type { FirstApps, FirstKeys } from "@sealway/management"
import { awsFailure } from "./aws-failure.ts"
import type { StageOutputs } from "./stage-outputs.ts"

/** The result of a bootstrap. `keys` is null when everything existed already and no keys were requested. */
export interface Bootstrapped {
  readonly apps: FirstApps
  readonly keys: FirstKeys | null
}

/**
 * Creates the first team, apps and keys of a stage if there are none, in its tables and with its KMS key.
 *
 * @param newKeys whether to issue keys even when the team and the apps exist
 * @throws CommandFailure saying what AWS refuses, or does not find
 */
export async function ensureFirstKeys(
  stage: StageOutputs,
  env: Readonly<Record<string, string | undefined>>,
  newKeys: boolean,
): Promise<Bootstrapped> {
  // Only here: the AWS clients would slow down the start of every other command.
  const { createPlatform } = await import("@sealway/http")
  const { parseConfiguration } = await import("@sealway/ports")
  const { createAwsClients } = await import("@sealway/ports/aws")
  const { createFirstApps, findFirstApps, issueFirstKeys } = await import("@sealway/management")
  const configuration = parseConfiguration({
    ...endpointsOf(env),
    AWS_REGION: stage.region,
    SEALWAY_CONFIG_TABLE: stage.configTable,
    SEALWAY_KEYS_TABLE: stage.keysTable,
    SEALWAY_AUDIT_TABLE: stage.auditTable,
    SEALWAY_AUDIT_WRITER: stage.auditWriter,
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
    clients.destroy()
  }
}

/** AWS's own variables for services at other addresses, such as behind a VPC endpoint. */
const ENDPOINT_VARIABLES = [
  "AWS_ENDPOINT_URL",
  "AWS_ENDPOINT_URL_DYNAMODB",
  "AWS_ENDPOINT_URL_KMS",
  "AWS_ENDPOINT_URL_LAMBDA",
  "AWS_ENDPOINT_URL_SQS",
]

function endpointsOf(env: Readonly<Record<string, string | undefined>>) {
  return Object.fromEntries(ENDPOINT_VARIABLES.map((name) => [name, env[name]]))
}

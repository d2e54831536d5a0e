import {
  type AwsClientOptions,
  type AwsClients,
  CONFIG_TABLE,
  type Configuration,
  createAwsClients,
  type Hosting,
  parseConfiguration,
} from "@sealway/platform"
import type { EmbeddedCloud } from "./cloud/start-embedded-cloud.ts"
import { STAGE_KEY_ALIAS } from "./stage-key.ts"

export interface CloudClientOptions extends Pick<AwsClientOptions, "onCall"> {
  /** Default: `container`. */
  readonly hosting?: Hosting
  /** Default: `WARN`. */
  readonly logLevel?: Configuration["logLevel"]
}

/** The configuration and the AWS clients of a process that stands on an embedded cloud. */
export function createCloudClients(
  { region, endpoints, credentials }: EmbeddedCloud,
  { hosting = "container", logLevel = "WARN", onCall }: CloudClientOptions = {},
): { readonly configuration: Configuration; readonly clients: AwsClients } {
  const configuration = parseConfiguration({
    AWS_REGION: region,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_KMS: endpoints.kms,
    SEALWAY_CONFIG_TABLE: CONFIG_TABLE.name,
    SEALWAY_KMS_KEY_ID: STAGE_KEY_ALIAS,
    SEALWAY_HOSTING: hosting,
    SEALWAY_LOG_LEVEL: logLevel,
  })
  return {
    configuration,
    clients: createAwsClients(configuration, { credentials, ...(onCall && { onCall }) }),
  }
}

import {
  AUDIT_TABLE,
  type AwsCall,
  type AwsClients,
  CONFIG_TABLE,
  type Configuration,
  createClientsOver,
  EVENTS_TABLE,
  type Hosting,
  type IdentityProviderConfiguration,
  KEYS_TABLE,
  PAYMENTS_TABLE,
  parseConfiguration,
  RUNS_TABLE,
} from "@sealway/ports"
import { EMBEDDED_REGION } from "../cloud/credentials.ts"
import type { TableAccess } from "../cloud/dynamodb/table/database-calls.ts"
import { createDatabaseTable } from "../cloud/dynamodb/table/database-table.ts"
import type { TableWrite } from "../cloud/dynamodb/table/table-database.ts"
import type { EmbeddedCloud } from "../cloud/start-embedded-cloud.ts"
import { DEFAULT_FUNCTION_RUNS } from "./function-runs.ts"
import { STAGE_KEY_ALIAS } from "./stage-key.ts"

/** The bucket for the source of customers' functions. */
const FUNCTION_CODE_BUCKET = "sealway-local-function-code"

/** The bucket for sealed files. */
const FILE_BUCKET = "sealway-local-files"

/** The buckets of the embedded cloud. */
export const BUCKETS: readonly string[] = [FUNCTION_CODE_BUCKET, FILE_BUCKET]

/** The path of the service under which clients reach the storage of files. */
export const STORAGE_PATH = "/storage"

/** The suffix of relays' domains. Names under `localhost` lead to this machine (RFC 6761, section 6.3). */
const RELAY_DOMAIN = "relay.localhost"

export interface CloudClientOptions {
  /** Called before what would be a call in AWS. Default: null. */
  readonly onCall?: ((call: AwsCall) => void) | null
  /** Default: `container`. */
  readonly hosting?: Hosting
  /** Default: `table`, because the embedded cloud moves nothing from logs to tables. */
  readonly accessLog?: Configuration["accessLog"]
  /** Default: null, for good. */
  readonly accessLogDays?: Configuration["accessLogDays"]
  /** See `Configuration`. Default: false, because a process of one machine keeps running. */
  readonly isFrozenBetweenRequests?: boolean
  /** Default: `WARN`. */
  readonly logLevel?: Configuration["logLevel"]
  /** How many runs of one app's functions may be in progress at once; for all apps, twice as many. Default: 100. */
  readonly functionRuns?: number
  /** See `Configuration`. Default: null. */
  readonly apiOrigin?: string | null
  /** The identity provider of members. Default: none; then only sign-in links work. */
  readonly identityProvider?: IdentityProviderConfiguration | null
  /** See `Configuration`. Default: null. */
  readonly enclaveRoot?: string | null
  /** `host:port` of the DNS servers that are asked about custom domains. Default: the system's. */
  readonly dnsServers?: readonly string[]
}

/**
 * What a worker may do with tables: what the grants of relays and of the main endpoints permit their processes on AWS, and to
 * add to the audit log, which they do there by the function that writes it.
 */
export const WORKER_TABLES: TableAccess = new Map<string, ReadonlySet<TableWrite["kind"]>>([
  [CONFIG_TABLE.name, new Set(["put", "create", "replace", "remove"])],
  [KEYS_TABLE.name, new Set()],
  [AUDIT_TABLE.name, new Set(["create"])],
  [EVENTS_TABLE.name, new Set(["put", "create", "replace", "add", "tally"])],
  // The BIN tables of teams.
  [PAYMENTS_TABLE.name, new Set()],
])

/** Returns the configuration, as environment variables, of a worker. */
export function workerEnvironmentOf({
  hosting = "container",
  accessLog = "table",
  accessLogDays = null,
  logLevel = "WARN",
  apiOrigin = null,
}: Pick<
  CloudClientOptions,
  "hosting" | "accessLog" | "accessLogDays" | "logLevel" | "apiOrigin"
> = {}): Record<string, string | undefined> {
  return {
    AWS_REGION: EMBEDDED_REGION,
    SEALWAY_API_ORIGIN: apiOrigin ?? undefined,
    SEALWAY_CONFIG_TABLE: CONFIG_TABLE.name,
    SEALWAY_KEYS_TABLE: KEYS_TABLE.name,
    SEALWAY_AUDIT_TABLE: AUDIT_TABLE.name,
    SEALWAY_EVENTS_TABLE: EVENTS_TABLE.name,
    SEALWAY_PAYMENTS_TABLE: PAYMENTS_TABLE.name,
    SEALWAY_RELAY_DOMAIN: RELAY_DOMAIN,
    SEALWAY_ALLOW_PRIVATE_DESTINATIONS: "true",
    SEALWAY_KMS_KEY_ID: STAGE_KEY_ALIAS,
    SEALWAY_HOSTING: hosting,
    SEALWAY_ACCESS_LOG: accessLog,
    SEALWAY_ACCESS_LOG_DAYS: accessLogDays?.toString(),
    SEALWAY_LOG_LEVEL: logLevel,
  }
}

/** Creates the configuration and the clients of a process on an embedded cloud. */
export function createCloudClients(
  cloud: EmbeddedCloud,
  {
    functionRuns = DEFAULT_FUNCTION_RUNS,
    identityProvider = null,
    enclaveRoot = null,
    dnsServers = [],
    isFrozenBetweenRequests = false,
    onCall = null,
    ...options
  }: CloudClientOptions = {},
): { readonly configuration: Configuration; readonly clients: AwsClients } {
  const { database, keys, queues, openObjects, functionHost } = cloud
  const configuration = parseConfiguration({
    ...workerEnvironmentOf(options),
    AWS_LAMBDA_FUNCTION_NAME: isFrozenBetweenRequests ? "local" : undefined,
    SEALWAY_SIGN_IN_LINKS: "true",
    SEALWAY_OIDC_ISSUER: identityProvider?.issuer,
    SEALWAY_OIDC_CLIENT_ID: identityProvider?.clientId,
    SEALWAY_OIDC_CLIENT_SECRET: identityProvider?.clientSecret ?? undefined,
    SEALWAY_ENCLAVE_ROOT: enclaveRoot ?? undefined,
    SEALWAY_RUNS_TABLE: RUNS_TABLE.name,
    SEALWAY_FUNCTION_CODE_BUCKET: FUNCTION_CODE_BUCKET,
    SEALWAY_FILE_BUCKET: FILE_BUCKET,
    SEALWAY_FILE_STORAGE_PATH: STORAGE_PATH,
    SEALWAY_FUNCTION_RUNS_PER_APP: String(functionRuns),
    SEALWAY_FUNCTION_RUNS_PER_STAGE: String(2 * functionRuns),
    SEALWAY_RELAY_DNS_SERVERS: dnsServers.join(","),
  })
  return {
    configuration,
    clients: createClientsOver(
      {
        openTable: (name, wallClock) => createDatabaseTable(database, name, wallClock),
        keys,
        queues,
        openObjects,
        openFunctionHost: () => functionHost,
      },
      configuration,
      onCall,
    ),
  }
}

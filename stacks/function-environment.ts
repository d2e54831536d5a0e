import type { DeadLetterQueueName, Grant, QueueName, TableName } from "@sealway/ports"
import type { StageConfig, StageRelay } from "./config.ts"
import { AUDIT_WRITER } from "./names.ts"
import { find, type RelayEdge, type StageResources } from "./stage-resources.ts"

/** The variables of packages/service/ports's configuration that every process needs. */
const ALWAYS: readonly TableName[] = ["config", "keys", "audit", "events"]

const TABLE_VARIABLES: ReadonlyMap<string, string> = new Map<TableName, string>([
  ["config", "SEALWAY_CONFIG_TABLE"],
  ["keys", "SEALWAY_KEYS_TABLE"],
  ["audit", "SEALWAY_AUDIT_TABLE"],
  ["events", "SEALWAY_EVENTS_TABLE"],
  ["runs", "SEALWAY_RUNS_TABLE"],
  ["payments", "SEALWAY_PAYMENTS_TABLE"],
])

const QUEUE_VARIABLES: ReadonlyMap<string, string> = new Map<QueueName | DeadLetterQueueName, string>([
  ["events", "SEALWAY_EVENTS_QUEUE_URL"],
  ["events-dead-letters", "SEALWAY_EVENTS_DEAD_LETTERS_QUEUE_URL"],
  ["slow-events", "SEALWAY_SLOW_EVENTS_QUEUE_URL"],
  ["access-records", "SEALWAY_ACCESS_RECORDS_QUEUE_URL"],
  ["enrolments", "SEALWAY_ENROLMENTS_QUEUE_URL"],
  ["card-checks", "SEALWAY_CARD_CHECKS_QUEUE_URL"],
  ["function-runs", "SEALWAY_FUNCTION_RUNS_QUEUE_URL"],
  ["function-runs-dead-letters", "SEALWAY_FUNCTION_RUNS_DEAD_LETTERS_QUEUE_URL"],
])

/**
 * Returns the environment variables of a function: names of things, no secret, and no table or queue that it may not
 * use.
 */
export function functionEnvironment(
  grants: readonly Grant[],
  {
    stage,
    stageKey,
    tables,
    queues,
    auditWriter,
  }: Pick<StageResources, "stage" | "stageKey" | "tables" | "queues" | "auditWriter">,
): Record<string, string> {
  const environment: Record<string, string> = {
    SEALWAY_HOSTING: "api-gateway",
    SEALWAY_LOG_LEVEL: stage.logLevel,
    SEALWAY_METRICS_STAGE: stage.stage,
    SEALWAY_KMS_KEY_ID: stageKey.keyArn,
    ...(stage.accessLogDays !== null && { SEALWAY_ACCESS_LOG_DAYS: String(stage.accessLogDays) }),
  }
  const nameTable = (name: string) => {
    environment[find(TABLE_VARIABLES, "variable for the table", name)] = find(tables, "table", name).tableName
  }
  const nameQueue = (name: string) => {
    environment[find(QUEUE_VARIABLES, "variable for the queue", name)] = find(queues, "queue", name).queueUrl
  }
  for (const name of ALWAYS) nameTable(name)
  for (const grant of grants) {
    const [action = "", resource = ""] = grant.split("/")
    if (action.startsWith("dynamodb:")) nameTable(resource)
    if (action === "sqs:SendMessage") nameQueue(resource)
    if (resource === AUDIT_WRITER && auditWriter !== null) {
      environment.SEALWAY_AUDIT_WRITER = auditWriter.functionName
    }
    // For the tags of keys in KMS.
    if (action === "kms:CreateKey" || action === "kms:ListKeys") environment.SEALWAY_STAGE = stage.stage
  }
  return environment
}

/** Where the API is reached, for its endpoints. Without a domain of its own, requests say it: API Gateway has checked them. */
export function apiEnvironment({
  stage,
  dashboard,
}: Pick<StageResources, "stage" | "dashboard">): Record<string, string> {
  const { domain } = stage
  const dashboardApiUrl = dashboard?.apiUrl ?? stage.dashboardApiUrl
  return {
    ...(domain !== null && { SEALWAY_API_ORIGIN: `https://${domain.name}` }),
    ...(dashboardApiUrl !== null && { SEALWAY_DASHBOARD_API_URL: dashboardApiUrl }),
  }
}

/**
 * Returns the environment variables of what signs members in.
 *
 * @param needsSecret whether it proves itself to the identity provider
 */
export function signInEnvironment(
  { stage: { signIn } }: Pick<StageResources, "stage">,
  needsSecret: boolean,
): Record<string, string> {
  if (signIn === null) return {}
  const { issuer, clientId, clientSecretArn } = signIn
  return {
    SEALWAY_OIDC_ISSUER: issuer,
    SEALWAY_OIDC_CLIENT_ID: clientId,
    ...(needsSecret &&
      clientSecretArn !== null && {
        SEALWAY_OIDC_CLIENT_SECRET: `{{resolve:secretsmanager:${clientSecretArn}:SecretString}}`,
      }),
  }
}

/**
 * Returns the environment variables that everything of packages/service/functions needs besides those, whatever its
 * permissions.
 */
export function hostingEnvironment({
  stage,
  storageKey,
  tables,
  functionHosting: { prefix, role, codeBucket },
}: Pick<StageResources, "stage" | "storageKey" | "tables" | "functionHosting">): Record<string, string> {
  return {
    SEALWAY_STAGE: stage.stage,
    SEALWAY_RUNS_TABLE: find(tables, "table", "runs").tableName,
    SEALWAY_FUNCTION_PREFIX: prefix,
    SEALWAY_FUNCTION_ROLE_ARN: role.roleArn,
    SEALWAY_FUNCTION_CODE_BUCKET: codeBucket.bucketName,
    SEALWAY_FUNCTION_LOG_RETENTION_DAYS: String(stage.logRetentionDays),
    SEALWAY_FUNCTION_LOG_KEY_ARN: storageKey.keyArn,
    SEALWAY_FUNCTION_RUNS_PER_APP: String(stage.functionRunsPerApp),
    SEALWAY_FUNCTION_RUNS_PER_STAGE: String(stage.functionRunsPerStage),
  }
}

/** Returns the environment variables that everything of packages/service/files needs besides those. */
export function fileEnvironment({ fileBucket }: Pick<StageResources, "fileBucket">): Record<string, string> {
  return { SEALWAY_FILE_BUCKET: fileBucket.bucketName }
}

/** Returns the environment variable that everything of packages/service/payments needs besides those, whatever its permissions. */
export function paymentEnvironment({ tables }: Pick<StageResources, "tables">): Record<string, string> {
  return { SEALWAY_PAYMENTS_TABLE: find(tables, "table", "payments").tableName }
}

/**
 * Returns the environment variables of what serves relays, and of what manages them.
 *
 * @param routingEndpoint where customers' records in DNS must lead
 */
export function relayEnvironment({ domain }: StageRelay, routingEndpoint: string): Record<string, string> {
  return { SEALWAY_RELAY_DOMAIN: domain, SEALWAY_RELAY_CUSTOM_DOMAIN_TARGET: routingEndpoint }
}

/** Returns those that the management of relays' domains at CloudFront needs besides. */
export function relayEdgeEnvironment(
  { stage }: Pick<StageConfig, "stage">,
  { regionLabel }: StageRelay,
  { distributionId, connectionGroupId }: RelayEdge,
): Record<string, string> {
  return {
    SEALWAY_STAGE: stage,
    SEALWAY_RELAY_DISTRIBUTION_ID: distributionId,
    SEALWAY_RELAY_CONNECTION_GROUP_ID: connectionGroupId,
    ...(regionLabel !== null && { SEALWAY_RELAY_REGION_LABEL: regionLabel }),
  }
}

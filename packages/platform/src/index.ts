export { accessBlocksOf, createAccessBlock, readAccessLog } from "./access-log/access-block-table.ts"
export { ACCESS_MEMBER } from "./access-log/access-lines.ts"
export type { AccessLog } from "./access-log/access-log.ts"
export {
  type AccessRecord,
  accessRecordSchema,
} from "./access-log/access-record.ts"
export { type AccessWriter, createAccessWriter } from "./access-log/access-writer.ts"
export { createApiKey, hashApiKey } from "./api-key.ts"
export {
  createApiKeyRecord,
  findApiKeyById,
  type KeyOwner,
  pageApiKeys,
  replaceApiKey,
} from "./api-key-table.ts"
export { type ApiKeyUses, createApiKeyUses } from "./api-key-use-table.ts"
export { openForApp, type SealedPlace, sealForApp } from "./app-seal.ts"
export { appPartition, createApp, findApp, pageApps, replaceApp } from "./app-table.ts"
export {
  type AuditAuthor,
  type AuditEntry,
  type AuditLog,
  audited,
  authorOf,
  createAuditLog,
  SYSTEM,
} from "./audit-log.ts"
export {
  type Actor,
  type AppPrincipal,
  type AuthScheme,
  apiKey,
  type Caller,
  findEnabledApp,
  type Identity,
  type IdentityServices,
  isInForce,
  type RequestHeaders,
  type TeamPrincipal,
  teamKey,
} from "./authentication.ts"
export {
  type AwsCall,
  type AwsClientConfig,
  type AwsClientOptions,
  type AwsClients,
  type Connect,
  createAwsClients,
  REQUEST_TIMEOUT_MS,
} from "./aws-clients.ts"
export { MAX_JSON_BYTES, MAX_SEALED_JSON_BYTES } from "./body-limits.ts"
export { callbackSecret, callbackSecretsInForce } from "./callback-secret.ts"
export {
  type AwsService,
  type Configuration,
  type FunctionConfiguration,
  type Hosting,
  parseConfiguration,
  type RelayConfiguration,
} from "./configuration.ts"
export { CONFIGURATION_TTL_MS, type Directory } from "./directory.ts"
export {
  type Document,
  type Endpoint,
  type EndpointReply,
  endpoint,
  type ForbiddenRequest,
} from "./endpoint.ts"
export { type EndpointRoute, routesOf } from "./endpoint-routes.ts"
export {
  createEvents,
  type EventRecipient,
  type Events,
  type EventType,
  eventKey,
  LISTENED_SECONDS,
  type NewEvent,
  openEventData,
  PENDING_PARTITIONS,
  pendingKey,
  SealedEventData,
  sealEventData,
  takesEvent,
} from "./events.ts"
export { type FilteredPage, pageFiltered } from "./filtered-page.ts"
export { findAppOfTeam } from "./find-app-of-team.ts"
export { AUDIT_GRANTS, type Grant, TEAM_AUDIT_GRANTS } from "./grants.ts"
export { grantsOf } from "./grants-of.ts"
export { createHandler, type HandlerPlatform, type LambdaHandler } from "./handler.ts"
export { createIdempotency, type Effect, type Idempotency, UNTRACKED_EFFECT } from "./idempotency.ts"
export { keepWithinLimit, type LimitedChange, type LimitedCount } from "./keep-within-limit.ts"
export type { KeyPurpose, KeyVersion } from "./key-version.ts"
export { createKeyring, type Keyring } from "./keyring.ts"
export { createKmsEnvelope, type KmsEnvelope } from "./kms-envelope.ts"
export {
  countParameter,
  filteredReplySchema,
  limitSchema,
  listQuerySchema,
  listReplySchema,
  pageOf,
  replyOf,
  timeQuerySchema,
} from "./lists.ts"
export { createLog, type Log } from "./logger.ts"
export { type Draws, RANDOM_DRAWS } from "./once/draws.ts"
export { idParameter } from "./path-parameters.ts"
export { payloadSchema } from "./payload-schema.ts"
export { createPlatform, type Platform } from "./platform.ts"
export { createQueueSender, MAX_DELAY_SECONDS, type QueueSender } from "./queue-sender.ts"
export { type DeadLetterQueueName, QUEUES, type QueueDefinition, type QueueName } from "./queues.ts"
export { pageRecords, type RecordPage, type RecordPageRequest } from "./record-page.ts"
export type { ApiKeyRecord, App, Environment, Team } from "./records.ts"
export { MADE_BY_SERVICE, MADE_BY_TAG, runTimeTags, STAGE_TAG } from "./resource-tags.ts"
export { grantsScope, SCOPES, type Scope } from "./scopes.ts"
export {
  createTable,
  type Increment,
  type Item,
  type Page,
  type PageRequest,
  type RecordKey,
  type Table,
} from "./table.ts"
export {
  CONFIG_TABLE,
  EVENTS_TABLE,
  PAYMENTS_TABLE,
  RUNS_TABLE,
  TABLES,
  type TableDefinition,
  type TableName,
} from "./tables.ts"
export { createTeam, findTeam, replaceTeam, teamPartition } from "./team-table.ts"

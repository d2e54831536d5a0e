export { type AwsClients, createClientsOver } from "./aws/clients-over.ts"
export {
  type AwsCall,
  type AwsClientConfig,
  type Connect,
  type ConnectionOptions,
  REQUEST_TIMEOUT_MS,
} from "./aws/connections.ts"
export type { InvokeFunction } from "./aws/lambda-invoker.ts"
export { invokerOnUse } from "./aws/on-use.ts"
export { createDerivedDraws, type DerivedDraws, type Draws, RANDOM_DRAWS } from "./ports/draws.ts"
export { UnavailableError } from "./ports/errors.ts"
export {
  type FunctionHost,
  type Invocation,
  LAMBDA_RUNTIMES,
  LANGUAGES,
  type Language,
  type LogLine,
  type LogPage,
  MAX_EVENT_BYTES,
  type NewProgram,
  type ProgramState,
  RefusedProgramError,
} from "./ports/function-host.ts"
export { type AgreementKey, type EncryptionContext, InvalidCiphertextError, type Keys } from "./ports/keys.ts"
export type { Objects, OpenObjects, SignedUrl, StoredPart, StoredUpload } from "./ports/objects.ts"
export {
  type DeadLetterQueueName,
  delayOf,
  MAX_DELAY_SECONDS,
  QUEUES,
  type QueueDefinition,
  type QueueName,
  type QueueSender,
} from "./ports/queues.ts"
export { HOST_OPERATIONS } from "./ports/reporting-function-host.ts"
export { KEY_OPERATIONS } from "./ports/reporting-keys.ts"
export { OBJECT_OPERATIONS } from "./ports/reporting-objects.ts"
export {
  type AwsService,
  type Configuration,
  type FileConfiguration,
  type FunctionConfiguration,
  type Hosting,
  type IdentityProviderConfiguration,
  type LambdaHostConfiguration,
  parseConfiguration,
  type RelayConfiguration,
  type SignInConfiguration,
} from "./stage/configuration.ts"
export {
  AUDIT_GRANTS,
  type Grant,
  KEY_CREATION_GRANTS,
  OPENING_GRANTS,
  SUBJECT_READING_GRANTS,
  TEAM_AUDIT_GRANTS,
} from "./stage/grants.ts"
export { type DerivedKeyPart, KEY_PARTS, type KeyPart, PARTS_WITHIN } from "./stage/key-parts.ts"
export { createLog, type Log, type LogFields } from "./stage/logger.ts"
export {
  APP_TAG,
  KEY_TAG,
  LOG_OWNER_TAG,
  MADE_BY_SERVICE,
  MADE_BY_TAG,
  runTimeTags,
  STAGE_TAG,
  TEAM_TAG,
} from "./stage/resource-tags.ts"
export {
  AUDIT_TABLE,
  CONFIG_TABLE,
  EVENTS_TABLE,
  KEYS_TABLE,
  PAYMENTS_TABLE,
  RUNS_TABLE,
  TABLES,
  type TableDefinition,
  type TableName,
} from "./stage/tables.ts"
export { isUnavailability } from "./stage/unavailability.ts"
export { createDocumentCodec } from "./tables/document-values.ts"
export { type FilteredPage, pageFiltered } from "./tables/filtered-page.ts"
export { keepWithinLimit, type LimitedChange, type LimitedCount } from "./tables/keep-within-limit.ts"
export { listsOf } from "./tables/lists-of.ts"
export { appPartition, teamPartition } from "./tables/partitions.ts"
export {
  mergeDescending,
  pageRecords,
  pagesOf,
  type RecordPage,
  type RecordPageRequest,
} from "./tables/record-page.ts"
export { type RecordOf, type Records, recordsOf } from "./tables/records.ts"
export { TABLE_OPERATIONS } from "./tables/reporting-table.ts"
export { shardOf } from "./tables/shards.ts"
export {
  ATTEMPT,
  type Increment,
  type Item,
  isUnexpired,
  type OpenTable,
  type Page,
  type PageRequest,
  type RecordKey,
  type StandingRecord,
  standingOf,
  type Table,
  TableUnavailableError,
  type Tally,
  type WriteStamp,
} from "./tables/table.ts"

export { createAccessBlock, readAccessLog } from "./access-log/access-block-table.ts"
export { accessBlocksOf } from "./access-log/access-blocks.ts"
export { ACCESS_MEMBER } from "./access-log/access-lines.ts"
export type { AccessLog } from "./access-log/access-log.ts"
export {
  type AccessRecord,
  accessRecordSchema,
} from "./access-log/access-record.ts"
export { type AccessWriter, createAccessWriter } from "./access-log/access-writer.ts"
export { createApiKey, hashApiKey } from "./accounts/api-key.ts"
export {
  type ApiKeyRecord,
  createApiKeyRecord,
  findApiKeyById,
  type KeyOwner,
  pageApiKeys,
  replaceApiKey,
} from "./accounts/api-key-table.ts"
export { type ApiKeyUses, createApiKeyUses } from "./accounts/api-key-use-table.ts"
export {
  type App,
  type Custody,
  createApp,
  type Environment,
  erasureDaysOf,
  findApp,
  listAppIds,
  pageApps,
  replaceApp,
} from "./accounts/app-table.ts"
export { type Actor, actorSchema, type Caller } from "./accounts/caller.ts"
export { CONFIGURATION_TTL_MS, type Directory } from "./accounts/directory.ts"
export { findAppOfTeam } from "./accounts/find-app-of-team.ts"
export { createFirstStart, type FirstStart, findFirstStart } from "./accounts/first-start.ts"
export {
  MEMBER_ROLES,
  type MemberRole,
  mayManage,
  scopesOfRole,
  sessionRuleOf,
} from "./accounts/member-roles.ts"
export { isRandomSecret, SECRET_BYTES } from "./accounts/random-secret.ts"
export { REVEALS, type Reveals, type SessionRule } from "./accounts/reveals.ts"
export {
  emptyRoster,
  findRoster,
  type Invitation,
  type Member,
  type Roster,
  writeRoster,
} from "./accounts/roster-table.ts"
export { grantsScope, SCOPES, type Scope } from "./accounts/scopes.ts"
export {
  createSessionRecord,
  findSession,
  listSessions,
  MAX_SESSIONS,
  removeSession,
  removeSessions,
  replaceSession,
  type Session,
} from "./accounts/session-table.ts"
export { createSessionToken, hashSessionToken } from "./accounts/session-token.ts"
export { createTeam, findTeam, replaceTeam, type Team } from "./accounts/team-table.ts"
export { createAuditExportHandler } from "./audit/audit-export-handler.ts"
export { type AuditArchive, createAuditExporter } from "./audit/audit-exporter.ts"
export {
  type AuditAuthor,
  type AuditEntry,
  type AuditLog,
  audited,
  authorOf,
  createAuditLog,
  SYSTEM,
} from "./audit/audit-log.ts"
export { type AuditTable, createAuditTable } from "./audit/audit-table.ts"
export {
  AUDIT_WRITER_GRANTS,
  type AuditWriter,
  createAuditWriter,
  writtenByFunction,
} from "./audit/audit-writer.ts"
export { commitInGroup } from "./audit/group-commit.ts"
export { recordChanges } from "./audit/record-changes.ts"
export { type AwsClients, createClientsOver } from "./aws/clients-over.ts"
export {
  type AwsCall,
  type AwsClientConfig,
  type Connect,
  type ConnectionOptions,
  REQUEST_TIMEOUT_MS,
} from "./aws/connections.ts"
export {
  type AppPrincipal,
  type AuthScheme,
  apiKey,
  findEnabledApp,
  type Identity,
  type IdentityServices,
  isInForce,
  type RequestHeaders,
  type SessionPrincipal,
  session,
  type TeamPrincipal,
  teamKey,
} from "./endpoint/authentication.ts"
export { MAX_JSON_BYTES, MAX_SEALED_JSON_BYTES } from "./endpoint/body-limits.ts"
export { DASHBOARD_SECRET_HEADER, DASHBOARD_VIEWER_HEADER } from "./endpoint/caller-address.ts"
export {
  type Document,
  type Endpoint,
  type EndpointReply,
  endpoint,
  type ForbiddenRequest,
  writesAccessRecords,
} from "./endpoint/endpoint.ts"
export { type EndpointRoute, routesOf } from "./endpoint/endpoint-routes.ts"
export { EVERY_ANSWER } from "./endpoint/every-answer.ts"
export { grantsOf, withoutSmallerParts } from "./endpoint/grants-of.ts"
export {
  createHandler,
  type EndpointHandler,
  type HandlerContext,
  type HandlerPlatform,
  type LambdaHandler,
} from "./endpoint/handler.ts"
export {
  countParameter,
  filteredReplySchema,
  limitSchema,
  listQuerySchema,
  listReplySchema,
  pageOf,
  replyOf,
  timeQuerySchema,
} from "./endpoint/lists.ts"
export { idParameter } from "./endpoint/path-parameters.ts"
export { documentSchema, payloadSchema } from "./endpoint/payload-schema.ts"
export { type Phase, RequestTiming } from "./endpoint/request-timing.ts"
export { PAGE_HEADER, requireSameOrigin } from "./endpoint/same-origin.ts"
export { memberOf } from "./endpoint/session-authentication.ts"
export { cookieName, readCookie, sessionCookieName, setCookie } from "./endpoint/session-cookie.ts"
export { timedKeyring } from "./endpoint/timed-keyring.ts"
export {
  type BriefEventData,
  createEvents,
  type EventRecipient,
  type Events,
  type EventType,
  eventKey,
  findBriefEventData,
  LISTENED_SECONDS,
  type NewEvent,
  openEventData,
  PENDING_PARTITIONS,
  pendingKey,
  SealedEventData,
  sealEventData,
  takesEvent,
} from "./events/events.ts"
export type { HttpEvent, HttpResult } from "./http-event.ts"
export { openForApp, type SealedPlace, sealedShape, sealForApp } from "./keys/app-seal.ts"
export { callbackSecret, callbackSecretsInForce } from "./keys/callback-secret.ts"
export type { KeptKey } from "./keys/content-keys.ts"
export {
  type DataSubject,
  dataSubjectRecords,
  type Erasure,
  erasureRecords,
  referenceRecords,
  SUBJECT_STATUSES,
} from "./keys/data-subject-table.ts"
export { fillKeyParts } from "./keys/fill-key-parts.ts"
export { findDataSubject, pageDataSubjects } from "./keys/find-data-subject.ts"
export { createHsmKeys, type HsmKey } from "./keys/hsm-keys.ts"
export type {
  KeyPurpose,
  KeyVersion,
  PublicKeyVersion,
  SecretKeyVersion,
  ValueKeyVersion,
} from "./keys/key-version.ts"
export { custodyOf, listKeyVersions } from "./keys/key-version-table.ts"
export { createKeyring, type Keyring } from "./keys/keyring.ts"
export { createKmsAgreement, type KmsAgreement } from "./keys/kms-agreement.ts"
export { createKmsEnvelope, type KmsEnvelope } from "./keys/kms-envelope.ts"
export { SEALING_GRANTS, sealingKeysOf } from "./keys/sealing-keys.ts"
export {
  SUBJECT_CREATION_GRANTS,
  SUBJECT_GRANTS,
  SUBJECT_KEY_TTL_MS,
  SUBJECT_SEALING_GRANTS,
  type SubjectKeys,
} from "./keys/subject-keys.ts"
export { type SubjectLock, subjectLock } from "./keys/subject-lock.ts"
export { type SweepDependencies, sweepHsmKeys } from "./keys/sweep-hsm-keys.ts"
export { type Allowance, UNLIMITED } from "./limits/allowance.ts"
export { LIMIT_GRANTS, type LimitedCaller, type Limiter } from "./limits/limiter.ts"
export { RateLimitError } from "./limits/rate-limit-error.ts"
export {
  APP_LIMITS,
  type ChosenLimits,
  KEY_LIMITS,
  limitsOf,
  MAX_REQUESTS_PER_SECOND,
  MAX_VALUES_PER_SECOND,
  NO_CHOSEN_LIMITS,
  type RateLimits,
} from "./limits/rate-limits.ts"
export { noticeableRequests } from "./limits/usage-exchange.ts"
export { type Draws, RANDOM_DRAWS } from "./once/draws.ts"
export { createIdempotency, type Effect, type Idempotency, UNTRACKED_EFFECT } from "./once/idempotency.ts"
export { createPlatform, createPlatformOver, type Platform, type Ports } from "./platform.ts"
export { UnavailableError } from "./ports/errors.ts"
export { type EncryptionContext, InvalidCiphertextError, type Keys } from "./ports/keys.ts"
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
export { KEY_OPERATIONS } from "./ports/reporting-keys.ts"
export { OBJECT_OPERATIONS } from "./ports/reporting-objects.ts"
export {
  type AwsService,
  type Configuration,
  type FileConfiguration,
  type FunctionConfiguration,
  type Hosting,
  type IdentityProviderConfiguration,
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
export { KEY_PARTS, type KeyPart, PARTS_WITHIN } from "./stage/key-parts.ts"
export { createLog, type Log } from "./stage/logger.ts"
export {
  APP_TAG,
  KEY_TAG,
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
export {
  COUNT_METRICS,
  LATENCY_METRICS,
  METRICS_SERVICE,
  metricsNamespace,
} from "./stats/cloud-metrics.ts"
export { addReport, createFigureReports } from "./stats/figure-reports.ts"
export {
  COUNTERS,
  type Counter,
  DIMENSIONS,
  type Dimension,
  Figures,
  GroupedFigures,
  OTHERS,
  prepareChange,
  TIMERS,
  type Timer,
} from "./stats/figures.ts"
export { type FoldDependencies, foldStats } from "./stats/fold-stats.ts"
export { beginOf, INTERVAL_MS, INTERVALS, type Interval } from "./stats/intervals.ts"
export { upperBoundOf } from "./stats/latency-histogram.ts"
export { readStats, type StatsOfRange } from "./stats/read-stats.ts"
export type { Stats } from "./stats/stats.ts"
export { createDocumentCodec } from "./tables/document-values.ts"
export { type FilteredPage, pageFiltered } from "./tables/filtered-page.ts"
export { keepWithinLimit, type LimitedChange, type LimitedCount } from "./tables/keep-within-limit.ts"
export { listsOf } from "./tables/lists-of.ts"
export { appPartition, teamPartition } from "./tables/partitions.ts"
export { pageRecords, pagesOf, type RecordPage, type RecordPageRequest } from "./tables/record-page.ts"
export { type RecordOf, type Records, recordsOf } from "./tables/records.ts"
export { TABLE_OPERATIONS } from "./tables/reporting-table.ts"
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

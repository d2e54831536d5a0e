export { createApiKey, hashApiKey } from "./api-key.ts"
export { createApiKeyRecord } from "./api-key-table.ts"
export { appPartition, createApp, findApp } from "./app-table.ts"
export {
  type AppPrincipal,
  type AuthScheme,
  apiKey,
  type TeamPrincipal,
  teamKey,
} from "./authentication.ts"
export { type AwsCall, type AwsClientOptions, type AwsClients, createAwsClients } from "./aws-clients.ts"
export { MAX_JSON_DEPTH } from "./body-limits.ts"
export { createCache } from "./cache.ts"
export { type ConfigTable, createConfigTable, type RecordKey } from "./config-table.ts"
export { type Configuration, type Hosting, parseConfiguration } from "./configuration.ts"
export { CONFIGURATION_TTL_MS, type Directory } from "./directory.ts"
export { type Document, type Endpoint, type EndpointReply, endpoint, type Grant } from "./endpoint.ts"
export {
  ConflictError,
  type ErrorCode,
  type FieldProblem,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  PayloadTooLargeError,
  PROBLEM_CONTENT_TYPE,
  PROBLEMS,
  type ProblemBody,
  problemBody,
  SealwayError,
  UnauthorizedError,
  UnsupportedMediaTypeError,
} from "./errors.ts"
export { createHandler, type HandlerPlatform, type LambdaHandler } from "./handler.ts"
export { createId, isId } from "./ids.ts"
export { decodeJsonString } from "./json/decode-json-string.ts"
export { pointerAtOffset } from "./json/json-pointer.ts"
export { type ScalarKind, scanJson } from "./json/scan-json.ts"
export { type Edit, spliceBytes } from "./json/splice-bytes.ts"
export type { KeyVersion } from "./key-version.ts"
export { createKeyring, type Keyring } from "./keyring.ts"
export { createKmsEnvelope, type KmsEnvelope } from "./kms-envelope.ts"
export type { Log } from "./logger.ts"
export { createPlatform, type Platform } from "./platform.ts"
export { QUEUES, type QueueDefinition } from "./queues.ts"
export { jsonProblem } from "./read-body.ts"
export type { ApiKeyRecord, App, Environment, Team } from "./records.ts"
export type { Scope } from "./scopes.ts"
export { CONFIG_TABLE, TABLES, type TableDefinition } from "./tables.ts"
export { createTeam } from "./team-table.ts"

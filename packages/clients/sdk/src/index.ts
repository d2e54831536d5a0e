export type { Answered, Call } from "./api/call.ts"
export type { BoundOperations } from "./api/operation.ts"
export type { ListedPage, Pages } from "./api/pages.ts"
export {
  type PageEncryptOptions,
  SealwayBrowser,
  type SealwayBrowserOptions,
} from "./browser/sealway-browser.ts"
export type { ErrorCode } from "./errors/error-code.ts"
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  DamagedFileError,
  type FieldProblem,
  InvalidIdError,
  PermissionError,
  RateLimitError,
  SealwayError,
  UnavailableError,
  WebhookSignatureError,
} from "./errors/errors.ts"
export type { DownloadOptions, Files, UploadOptions } from "./files/files.ts"
export type { RunFunction, ScheduledRun } from "./functions/run-function.ts"
export type { RelayClient } from "./relay/relay-client.ts"
export type { Attempt, ConnectionOptions } from "./requests/http-transport.ts"
export { JsonText } from "./requests/json-text.ts"
export type { CallOptions } from "./requests/transport.ts"
export type { Encrypted } from "./sealing/encrypted.ts"
export type { ClientTokenOptions, ClientTokens } from "./server/client-tokens.ts"
export type { Converted } from "./server/convert-document.ts"
export type {
  FormatDecryptOptions,
  FormatEncryptOptions,
  FormatRewrapOptions,
  Formats,
} from "./server/formats.ts"
export type { Functions } from "./server/functions.ts"
export { type DecryptOptions, type EncryptOptions, Sealway, type SealwayOptions } from "./server/sealway.ts"
export { SealwayTeam, type SealwayTeamOptions } from "./server/sealway-team.ts"
export {
  type SignedWebhookHeaders,
  type SignTestWebhookOptions,
  signTestWebhook,
} from "./webhooks/sign-test-webhook.ts"
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
} from "./webhooks/verify-webhook.ts"

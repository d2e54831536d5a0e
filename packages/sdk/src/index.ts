export type { BoundOperations } from "./api/operation.ts"
export type { Pages } from "./api/pages.ts"
export type { ErrorCode } from "./errors/error-code.ts"
export {
  ApiError,
  ConnectionError,
  type FieldProblem,
  SealwayError,
  WebhookSignatureError,
} from "./errors/errors.ts"
export type { ConnectionOptions } from "./requests/http-transport.ts"
export type { CallOptions } from "./requests/transport.ts"
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
} from "./webhooks/verify-webhook.ts"

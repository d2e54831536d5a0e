export type { ErrorCode } from "./errors/error-code.ts"
export {
  ApiError,
  ConnectionError,
  type FieldProblem,
  SealwayError,
  WebhookSignatureError,
} from "./errors/errors.ts"

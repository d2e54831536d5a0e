export type { ListedPage } from "./api/pages.ts"
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
  type FieldProblem,
  PermissionError,
  RateLimitError,
  SealwayError,
  UnavailableError,
} from "./errors/errors.ts"
export type { Attempt, ConnectionOptions } from "./requests/http-transport.ts"
export type { CallOptions } from "./requests/transport.ts"
export type { Encrypted } from "./sealing/encrypted.ts"

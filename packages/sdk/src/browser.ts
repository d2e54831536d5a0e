export type { ErrorCode } from "./errors/error-code.ts"
export { ApiError, ConnectionError, SealwayError } from "./errors/errors.ts"

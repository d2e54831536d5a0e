/** The errors of the AWS Lambda and CloudWatch Logs APIs that the embedded Lambda gives, with their HTTP statuses. */
export const LAMBDA_ERROR_STATUSES = {
  InvalidParameterException: 400,
  InvalidParameterValueException: 400,
  InvalidRequestContentException: 400,
  InvalidRuntimeException: 502,
  InvalidSignatureException: 403,
  RequestEntityTooLargeException: 413,
  RequestTooLargeException: 413,
  ResourceAlreadyExistsException: 400,
  ResourceConflictException: 409,
  ResourceNotFoundException: 404,
  /** Not one of AWS's: this machine cannot keep a function in its box. */
  SandboxUnavailableException: 503,
  ServiceException: 500,
  TooManyRequestsException: 429,
  UnknownOperationException: 404,
  UnsupportedMediaTypeException: 415,
} as const

export type LambdaErrorType = keyof typeof LAMBDA_ERROR_STATUSES

/** An error that goes to the caller. The message never holds what was sent. */
export class LambdaError extends Error {
  override readonly name = "LambdaError"
  readonly type: LambdaErrorType

  constructor(type: LambdaErrorType, message: string, options?: ErrorOptions) {
    super(message, options)
    this.type = type
  }
}

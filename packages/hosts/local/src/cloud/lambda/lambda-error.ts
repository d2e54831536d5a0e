/** The errors of the embedded Lambda, with the HTTP statuses of the AWS Lambda and CloudWatch Logs APIs. */
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
  /** Not an error of AWS: this machine cannot confine a function. */
  SandboxUnavailableException: 503,
  ServiceException: 500,
  TooManyRequestsException: 429,
  UnknownOperationException: 404,
  UnsupportedMediaTypeException: 415,
} as const

export type LambdaErrorType = keyof typeof LAMBDA_ERROR_STATUSES

/** An error that is sent to the caller. The message never contains input. */
export class LambdaError extends Error {
  override readonly name = "LambdaError"
  readonly type: LambdaErrorType

  constructor(type: LambdaErrorType, message: string, options?: ErrorOptions) {
    super(message, options)
    this.type = type
  }
}

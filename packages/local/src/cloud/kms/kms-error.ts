/** The errors of the embedded KMS, with the HTTP statuses of the AWS KMS API. */
export const KMS_ERROR_STATUSES = {
  AlreadyExistsException: 400,
  IncorrectKeyException: 400,
  InvalidCiphertextException: 400,
  InvalidKeyUsageException: 400,
  KMSInternalException: 500,
  KMSInvalidStateException: 400,
  NotAuthorizedException: 400,
  NotFoundException: 400,
  SerializationException: 400,
  TagException: 400,
  UnsupportedOperationException: 400,
  ValidationException: 400,
} as const

export type KmsErrorType = keyof typeof KMS_ERROR_STATUSES

/** An error that is sent to the caller as `{"__type", "message"}`. The message never contains input. */
export class KmsError extends Error {
  override readonly name = "KmsError"
  readonly type: KmsErrorType

  constructor(type: KmsErrorType, message: string, options?: ErrorOptions) {
    super(message, options)
    this.type = type
  }
}

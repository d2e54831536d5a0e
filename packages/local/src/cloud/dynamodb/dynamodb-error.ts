/** The errors of the embedded DynamoDB, with the HTTP statuses of the DynamoDB API. */
export const DYNAMODB_ERROR_STATUSES = {
  ConditionalCheckFailedException: 400,
  InternalServerError: 500,
  InvalidSignatureException: 400,
  RequestEntityTooLarge: 413,
  ResourceInUseException: 400,
  ResourceNotFoundException: 400,
  SerializationException: 400,
  ThrottlingException: 400,
  UnknownOperationException: 400,
  ValidationException: 400,
} as const

export type DynamoDbErrorType = keyof typeof DYNAMODB_ERROR_STATUSES

/** An error that is sent to the caller as `{"__type", "message", "Item"}`. The message never contains input. */
export class DynamoDbError extends Error {
  override readonly name = "DynamoDbError"
  readonly type: DynamoDbErrorType
  /** The item that failed the condition, in the API's form, if the request asked for it. */
  readonly item: object | null

  constructor(
    type: DynamoDbErrorType,
    message: string,
    { item = null, ...options }: ErrorOptions & { readonly item?: object | null } = {},
  ) {
    super(message, options)
    this.type = type
    this.item = item
  }
}

export function invalid(message: string): DynamoDbError {
  return new DynamoDbError("ValidationException", message)
}

/**
 * Builds the error for DynamoDB features that are not supported: ignoring them would give different answers than
 * DynamoDB.
 */
export function notOffered(what: string): DynamoDbError {
  return invalid(`The embedded DynamoDB does not offer ${what}.`)
}

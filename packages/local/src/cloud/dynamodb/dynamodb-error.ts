/** The errors of the DynamoDB API that the embedded DynamoDB gives, with their HTTP statuses. */
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

/** An error that goes to the caller as `{"__type", "message", "Item"}`. The message never holds what was sent. */
export class DynamoDbError extends Error {
  override readonly name = "DynamoDbError"
  readonly type: DynamoDbErrorType
  /** The item that a condition did not hold for, as it goes to the caller, where that was asked for. */
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

/** For what DynamoDB offers and the embedded one does not: ignoring it would answer something else than DynamoDB. */
export function notOffered(what: string): DynamoDbError {
  return invalid(`The embedded DynamoDB does not offer ${what}.`)
}

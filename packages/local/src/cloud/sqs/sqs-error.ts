/** The errors of the embedded SQS, by their names in the AWS API. Their HTTP status is 400. */
export type SqsErrorType =
  | "BatchEntryIdsNotDistinct"
  | "EmptyBatchRequest"
  | "InvalidAttributeName"
  | "InvalidAttributeValue"
  | "InvalidMessageContents"
  | "InvalidParameterValue"
  | "MessageNotInflight"
  | "QueueDoesNotExist"
  | "QueueNameExists"
  | "ReceiptHandleIsInvalid"
  | "SerializationException"
  | "TooManyEntriesInBatchRequest"
  | "UnsupportedOperation"

/** An error that is sent to the caller as `{"__type", "message"}`. The message never contains input. */
export class SqsError extends Error {
  override readonly name = "SqsError"
  readonly type: SqsErrorType

  constructor(type: SqsErrorType, message: string, options?: ErrorOptions) {
    super(message, options)
    this.type = type
  }
}

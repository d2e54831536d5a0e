/** A record that DynamoDB would not take either. The message contains nothing of it. */
export class InvalidRecordError extends Error {
  override readonly name = "InvalidRecordError"
}

export function invalid(message: string): InvalidRecordError {
  return new InvalidRecordError(message)
}

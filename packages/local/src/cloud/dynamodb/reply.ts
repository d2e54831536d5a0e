import type { Reply } from "../aws-json-server.ts"
import { DYNAMODB_ERROR_STATUSES, DynamoDbError, type DynamoDbErrorType } from "./dynamodb-error.ts"

export const CONTENT_TYPE = "application/x-amz-json-1.0"

export function errorReply(type: DynamoDbErrorType, message: string, item: object | null = null): Reply {
  const shown = item === null ? {} : { Item: item }
  return {
    status: DYNAMODB_ERROR_STATUSES[type],
    body: Buffer.from(JSON.stringify({ __type: type, message, ...shown })),
  }
}

/** Details go to the operator's log, not to the caller. */
export function internalFailure(): Reply {
  return errorReply("InternalServerError", "The embedded DynamoDB failed.")
}

/** Runs work that may be refused and returns its reply. Rethrows other errors. */
export function replyOf(work: () => Uint8Array): Reply {
  try {
    return { status: 200, body: work() }
  } catch (error) {
    if (error instanceof DynamoDbError) return errorReply(error.type, error.message, error.item)
    throw error
  }
}

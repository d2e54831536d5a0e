import { sqsRecord } from "@sealway/platform/testing"
import type { SQSEvent } from "aws-lambda"

/** The event that Lambda makes of a message of a queue, for a handler that is called without one. */
export function queueEvent(message: object): SQSEvent {
  return { Records: [sqsRecord({ id: "message-1", body: JSON.stringify(message) })] }
}

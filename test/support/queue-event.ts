import { sqsRecord } from "@sealway/ports/testing"
import type { SQSEvent } from "aws-lambda"

/** Returns the event that Lambda makes of a queue's message, for a handler that is called without one. */
export function queueEvent(message: object): SQSEvent {
  return { Records: [sqsRecord({ id: "message-1", body: JSON.stringify(message) })] }
}

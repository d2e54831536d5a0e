import type { SQSEvent } from "aws-lambda"

/** The event that Lambda makes of a message of a queue, for a handler that is called without one. */
export function queueEvent(message: object): SQSEvent {
  return {
    Records: [
      {
        messageId: "message-1",
        receiptHandle: "receipt-1",
        body: JSON.stringify(message),
        attributes: {
          ApproximateReceiveCount: "1",
          SentTimestamp: "0",
          SenderId: "sender",
          ApproximateFirstReceiveTimestamp: "0",
        },
        messageAttributes: {},
        md5OfBody: "",
        eventSource: "aws:sqs",
        eventSourceARN: "",
        awsRegion: "",
      },
    ],
  }
}

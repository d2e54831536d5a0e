import type { SQSRecord } from "aws-lambda"

/**
 * Builds a message of a queue, as Lambda passes it to a worker.
 *
 * @param receives how often it was received. Default: 1
 */
export function sqsRecord({
  id,
  body,
  receives = 1,
}: {
  readonly id: string
  readonly body: string
  readonly receives?: number
}): SQSRecord {
  return {
    messageId: id,
    receiptHandle: id,
    body,
    attributes: {
      ApproximateReceiveCount: String(receives),
      SentTimestamp: "",
      SenderId: "",
      ApproximateFirstReceiveTimestamp: "",
    },
    messageAttributes: {},
    md5OfBody: "",
    eventSource: "aws:sqs",
    eventSourceARN: "",
    awsRegion: "",
  }
}

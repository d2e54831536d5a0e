import { HttpResponse } from "@smithy/core/protocols"
import type { DynamoDb } from "./dynamodb.ts"
import { CONTENT_TYPE } from "./reply.ts"

/** The handler that an AWS SDK client passes its requests to, as far as DynamoDB needs it. */
export interface DynamoDbRequestHandler {
  handle(request: {
    readonly headers: Readonly<Record<string, string>>
    readonly body?: unknown
  }): Promise<{ readonly response: HttpResponse }>
}

/**
 * Answers DynamoDB clients in this process without a socket. Signatures are not checked: only this process can have the
 * handler.
 *
 * @param timeoutMs the timeout of a request; it then fails with TimeoutError, as over HTTP
 */
export function dynamoDbRequestHandler(dynamodb: DynamoDb, timeoutMs: number): DynamoDbRequestHandler {
  return {
    async handle({ headers, body }) {
      const answer = dynamodb.answer(headers["x-amz-target"] ?? "", textOf(body))
      const { status, body: replied } = await within(timeoutMs, answer)
      return {
        response: new HttpResponse({
          statusCode: status,
          headers: { "content-type": CONTENT_TYPE },
          body: replied,
        }),
      }
    },
  }
}

function textOf(body: unknown): string {
  if (typeof body === "string") return body
  if (!(body instanceof Uint8Array)) throw new TypeError("DynamoDB clients stream nothing")
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()
}

async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new Error("The embedded DynamoDB did not answer in time.")
      error.name = "TimeoutError"
      reject(error)
    }, timeoutMs)
  })
  try {
    return await Promise.race([work, expiry])
  } finally {
    clearTimeout(timer)
  }
}

import { HttpResponse } from "@smithy/core/protocols"
import { type AwsJsonService, answerTarget } from "./aws-json-server.ts"
import { within } from "./within.ts"

/** The handler that an AWS SDK client passes its requests to, as far as the embedded services need it. */
export interface InProcessHandler {
  handle(
    request: { readonly headers: Readonly<Record<string, string>>; readonly body?: unknown },
    options?: { readonly abortSignal?: object | undefined; readonly requestTimeout?: number | undefined },
  ): Promise<{ readonly response: HttpResponse }>
}

/**
 * Answers clients in this process without a socket. Signatures are not checked: only this process can have the handler.
 *
 * @param timeoutMs the timeout of a request that sets none; it then fails with TimeoutError, as over HTTP
 */
export function createInProcessHandler(service: AwsJsonService, timeoutMs: number): InProcessHandler {
  return {
    async handle({ headers, body }, { abortSignal, requestTimeout = timeoutMs } = {}) {
      const signal = abortSignal instanceof AbortSignal ? abortSignal : NEVER
      const answer = answerTarget(service, headers["x-amz-target"] ?? "", textOf(body), signal)
      const { status, body: replied } = await within(requestTimeout, answer)
      return {
        response: new HttpResponse({
          statusCode: status,
          headers: { "content-type": service.contentType },
          body: typeof replied === "string" ? Buffer.from(replied) : replied,
        }),
      }
    },
  }
}

const NEVER = new AbortController().signal

function textOf(body: unknown): string {
  if (typeof body === "string") return body
  if (!(body instanceof Uint8Array)) throw new TypeError("Clients of JSON APIs stream nothing")
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()
}

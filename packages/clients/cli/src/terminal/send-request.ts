import type { IncomingMessage } from "node:http"
import { MB } from "@sealway/kernel"
import { readBounded } from "./read-bounded.ts"

export interface HttpRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer> | string | Blob
  readonly signal: AbortSignal
}

/** The part of a `Response` that the command line uses. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  /** Null: there is none. */
  readonly body: AsyncIterable<Uint8Array> | null
}

export type SendRequest = (url: string, request: HttpRequest) => Promise<HttpAnswer>

/**
 * Sends a request. Redirects are not followed. It does not use `fetch`, whose first call takes 15 MB of memory.
 *
 * @throws the reason of the signal when it aborts, else the error of Node.js
 */
export async function sendRequest(
  url: string,
  { method, headers, body, signal }: HttpRequest,
): Promise<HttpAnswer> {
  const content = body instanceof Blob ? await body.bytes() : body
  const { request } = url.startsWith("https:") ? await import("node:https") : await import("node:http")
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, signal }, (answer) => resolve(answerOf(answer)))
    sent.on("error", (error) => reject(signal.aborted ? signal.reason : error))
    sent.end(content)
  })
}

/** Reads a body that nobody needs, so that its connection can be used again. */
export async function discardBody({ body }: HttpAnswer): Promise<void> {
  try {
    await readBounded(body, MB)
  } catch {
    // The answer has come; only its connection is lost.
  }
}

function answerOf(message: IncomingMessage): HttpAnswer {
  return {
    status: message.statusCode ?? 0,
    headers: { get: (name) => message.headersDistinct[name]?.join(", ") ?? null },
    body: message,
  }
}

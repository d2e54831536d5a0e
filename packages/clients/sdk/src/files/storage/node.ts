import { once } from "node:events"
import { type IncomingMessage, request as requestOverHttp } from "node:http"
import { request as requestOverHttps } from "node:https"
import { freeBuffer } from "@sealway/tokens/portable"
import type { AskStorage } from "./storage.ts"

/** An answer of up to so many bytes is read to its end: then its connection can be used again. */
const MAX_DISCARDED_BYTES = 65_536

/** Not by `fetch`, which copies each part: 64 MB of copies accumulate before V8 collects them. */
export const askStorage: AskStorage = async (url, { method, headers, body, signal }) => {
  const send = url.startsWith("https:") ? requestOverHttps : requestOverHttp
  const sent = send(url, {
    method,
    headers: { ...headers, ...(body !== undefined && { "content-length": body.length }) },
    ...(signal !== undefined && { signal }),
  })
  // The storage may refuse a part and hang up while it is being sent: the answer says enough.
  sent.on("error", () => undefined)
  sent.end(body)
  const [answer]: IncomingMessage[] = await once(sent, "response").catch((error) => {
    signal?.throwIfAborted()
    throw error
  })
  if (answer === undefined) throw new TypeError("There is no answer")
  return {
    status: answer.statusCode ?? 502,
    etag: answer.headers.etag ?? null,
    isSent: sent.writableFinished,
    body: piecesOf(answer, signal),
    async discard() {
      if (answer.complete || Number(answer.headers["content-length"]) <= MAX_DISCARDED_BYTES) answer.resume()
      else answer.destroy()
    },
  }
}

async function* piecesOf(
  answer: IncomingMessage,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    for await (const piece of answer) {
      yield piece
      // Node.js copies each piece into a buffer of its own; a small one may be in a pool.
      const { buffer, length }: Buffer = piece
      if (buffer instanceof ArrayBuffer && length === buffer.byteLength) freeBuffer(buffer)
    }
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}

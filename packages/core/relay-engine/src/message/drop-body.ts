import { headersWithout, type RawHeaders } from "@sealway/kernel"
import type { RelayOptions } from "../routes/compile-relay.ts"
import { headersOfChangedBody } from "./headers-of-changed-body.ts"
import type { Message } from "./message.ts"

/** Headers about the body only. `ETag` too: a client that revalidates with it would be told that it has the body. */
const OF_BODY: ReadonlySet<string> = new Set([
  "content-length",
  "content-encoding",
  "content-range",
  "accept-ranges",
  "etag",
])

const NO_BYTES = Buffer.alloc(0)

/** Whether an answer may pass without its body if that cannot be encrypted. */
export function mayDropBody(
  { direction, status }: Message,
  { unencryptableErrors }: Pick<RelayOptions, "unencryptableErrors">,
): boolean {
  return direction === "response" && unencryptableErrors === "drop-body" && status !== null && status >= 300
}

/** Returns an answer's headers and no body. */
export function withoutBody(rawHeaders: RawHeaders) {
  return {
    rawHeaders: headersOfChangedBody(headersWithout(rawHeaders, (name) => OF_BODY.has(name))),
    body: NO_BYTES,
    contentLength: 0,
    isBodyChanged: true,
  }
}

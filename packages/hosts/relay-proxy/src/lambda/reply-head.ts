import { eachHeader } from "@sealway/kernel"
import type { OutboundReply } from "../exchange.ts"
import type { ReplyHead } from "./lambda-streaming.ts"

/** Lambda frames answers itself. */
const FRAMING = new Set(["connection", "keep-alive", "transfer-encoding", "trailer", "upgrade"])

/**
 * Builds the head of an answer for Lambda: a map, so equal headers are joined by a comma (RFC 9110, section 5.3),
 * except `Set-Cookie`, which cannot be.
 */
export function replyHeadOf({ status, rawHeaders, body }: OutboundReply): ReplyHead {
  const headers = new Map<string, string>()
  const cookies: string[] = []
  eachHeader(rawHeaders, (spelled, value) => {
    const name = spelled.toLowerCase()
    if (FRAMING.has(name)) return
    if (name === "set-cookie") {
      cookies.push(value)
      return
    }
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}, ${value}`)
  })
  // A destination's own length may be that of a different body by now.
  if (Buffer.isBuffer(body)) headers.set("content-length", String(body.length))
  return { statusCode: status, headers: Object.fromEntries(headers), cookies }
}

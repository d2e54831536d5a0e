import { STATUS_CODES } from "node:http"
import { headerLines, type RawHeaders } from "@sealway/kernel"

/** Builds a complete HTTP response that ends its connection, for sockets on which no request could be parsed. */
export function closingMessage(status: number, rawHeaders: RawHeaders, body: Buffer): Buffer {
  const framing = ["Content-Length", String(body.length), "Connection", "close"]
  const lines = headerLines([...rawHeaders, ...framing])
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n`, "latin1"),
    body,
  ])
}

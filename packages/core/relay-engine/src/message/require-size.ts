import type { BodyFormat } from "./body-format.ts"
import { tooLarge } from "./message-problem.ts"

/**
 * Limits a request's body by its declared size, whether or not it is parsed. A multipart body may be larger, and is
 * counted as it arrives.
 *
 * @throws RelayError `payload-too-large`
 */
export function requireSize(contentLength: number | null, format: BodyFormat, maxBytes: number): void {
  if (format === "multipart" || contentLength === null || contentLength <= maxBytes) return
  throw tooLarge("request", `The request body is larger than ${maxBytes} bytes.`)
}

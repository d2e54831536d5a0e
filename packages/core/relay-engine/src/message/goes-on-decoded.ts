import type { Operations } from "../operations/compile-operations.ts"
import type { Message } from "./message.ts"

/**
 * Whether a request's body is forwarded without its codings. Servers differ about a request's Content-Encoding.
 * Express, Koa and Fastify's plugins decode it; Django, Flask, FastAPI, Go, PHP and Rails ignore it, and look for
 * fields in the coded bytes. These have room for some that the content does not have:
 *
 * | coding | text beside the content |
 * |---|---|
 * | gzip | the name of a file, a comment and extra fields in front (RFC 1952 section 2.3) |
 * | zstd | skippable frames (RFC 8878 section 3.1.2) |
 * | br | blocks of metadata (RFC 7932 section 9.2), after a first byte of any kind |
 * | deflate, without a frame | all of it: `{"card":1` starts a block, too |
 *
 * So a request's body is forwarded without its codings if something in it is encrypted, or in the query, with which its
 * fields are merged: all servers then get the same bytes.
 */
export function goesOnDecoded(
  { direction }: Pick<Message, "direction">,
  { encryptsBody, query }: Operations,
): boolean {
  return direction === "request" && (encryptsBody || query.encrypting.size > 0)
}

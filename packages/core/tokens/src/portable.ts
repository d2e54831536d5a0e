/** What a client needs beside `clients/node.ts` or `clients/web.ts`. Loads no module of Node.js. */
export type {
  ClientApp,
  ClientSealing,
  ClientSealingKey,
  ClientValue,
  FileSealing,
} from "./clients/client-sealing.ts"
export { joinBytes } from "./clients/join-bytes.ts"
export { isWholeFile } from "./files/is-whole-file.ts"
export { isRoleSlug } from "./format/role-slug.ts"
export { isToken } from "./format/token-grammar.ts"
export {
  importStreamKey,
  openPart,
  type PartToSeal,
  type StreamKey,
  sealedRangeFor,
  sealPart,
} from "./streams/chunks.ts"
export { DamagedFileError } from "./streams/damaged-file-error.ts"
export { freeBuffer } from "./streams/free-buffer.ts"
export { type NewStream, type StartedStream, startStream } from "./streams/start-stream.ts"
export { CHUNK_BYTES, type Range, type StreamLayout } from "./streams/stream-layout.ts"

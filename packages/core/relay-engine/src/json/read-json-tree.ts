import { isUtf8 } from "node:buffer"
import { finish, type Work } from "@sealway/kernel"
import { UNCOUNTED } from "../body/body-memory.ts"
import { UnreadableBodyError } from "../body/located-body.ts"
import { startOfUtf8 } from "../encodings/byte-order-mark.ts"
import type { JsonRows } from "./json-rows.ts"
import { JsonTree } from "./json-tree.ts"
import { scanJsonRows } from "./scan-json-rows.ts"

const MAX_DEPTH = 256

/**
 * Parses a JSON body. Accepts what `JSON.parse` accepts, up to a depth, and a leading byte order mark, which parsers of
 * HTTP bodies remove. Bytes that are not UTF-8 are refused, not repaired.
 *
 * @param maxDepth the maximum nesting of containers. Default: 256
 * @throws UnreadableBodyError
 */
export function readJsonTree(bytes: Buffer, maxDepth = MAX_DEPTH): JsonTree {
  return new JsonTree(bytes, finish(readJsonRows(bytes, maxDepth)))
}

/** Scans the rows of a `JsonTree`, in steps. @throws UnreadableBodyError see `readJsonTree` */
export function readJsonRows(bytes: Buffer, maxDepth = MAX_DEPTH, memory = UNCOUNTED): Work<JsonRows> {
  if (!isUtf8(bytes)) throw new UnreadableBodyError("malformed", "JSON is not valid UTF-8.")
  return scanJsonRows(bytes, startOfUtf8(bytes), maxDepth, memory)
}

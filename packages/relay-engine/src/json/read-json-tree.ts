import { isUtf8 } from "node:buffer"
import { finish, type Work } from "@sealway/kernel"
import { startOfUtf8 } from "../byte-order-mark.ts"
import { UnreadableBodyError } from "../located-body.ts"
import { JsonTree } from "./json-tree.ts"
import { scanJsonRows } from "./scan-json-rows.ts"

/**
 * Reads a JSON body. It accepts what `JSON.parse` accepts, up to a depth, and a byte order mark in front, which readers
 * of HTTP bodies take off. Bytes that are not UTF-8 are refused, not mended.
 *
 * @param maxDepth containers inside each other at most
 * @throws UnreadableBodyError
 */
export function readJsonTree(bytes: Buffer, maxDepth = 256): JsonTree {
  return finish(readJsonTreeInSteps(bytes, maxDepth))
}

/** `readJsonTree`, in steps. */
export function* readJsonTreeInSteps(bytes: Buffer, maxDepth: number): Work<JsonTree> {
  if (!isUtf8(bytes)) throw new UnreadableBodyError("malformed", "JSON is not valid UTF-8.")
  return new JsonTree(bytes, yield* scanJsonRows(bytes, startOfUtf8(bytes), maxDepth))
}

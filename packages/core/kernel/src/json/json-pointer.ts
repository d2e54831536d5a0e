import type { Work } from "../work/work.ts"
import { unescapeJsonString } from "./decode-json-string.ts"
import { type JsonSink, scanJsonInSteps } from "./scan-json.ts"

const MAX_POINTER_LENGTH = 1024

/** Returns the JSON Pointer of a place, given the names and numbers on the way to it (RFC 6901, section 3). */
export function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
}

/**
 * Returns the JSON Pointer of the scalar at byte `offset` of a document that was already scanned without an error. It
 * scans again, so use it only for a value named in an error. A pointer longer than 1,024 characters is truncated and
 * ends in `…`: member names are the caller's, and errors are kept small.
 */
export function* pointerAtOffsetInSteps(bytes: Buffer, offset: number, maxDepth: number): Work<string> {
  const path: { index: number; name: string | null }[] = []
  let found = ""
  const step = () => {
    const container = path.at(-1)
    if (container !== undefined && container.name === null) container.index++
  }
  const sink: JsonSink = {
    open(container) {
      step()
      path.push({ index: -1, name: container === "object" ? "" : null })
    },
    close() {
      path.pop()
    },
    key(start, end) {
      const container = path.at(-1)
      if (container !== undefined && start < offset) container.name = unescapeJsonString(bytes, start, end)
    },
    scalar(_kind, start) {
      step()
      if (start !== offset) return
      found = jsonPointer(path.map(({ index, name }) => name ?? index))
    },
  }
  yield* scanJsonInSteps(bytes, sink, maxDepth)
  return found.length > MAX_POINTER_LENGTH ? `${found.slice(0, MAX_POINTER_LENGTH)}…` : found
}

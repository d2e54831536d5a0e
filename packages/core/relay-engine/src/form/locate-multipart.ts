import { isUtf8 } from "node:buffer"
import { finish, type Work } from "@sealway/kernel"
import {
  atOnceUnlessLarge,
  type LocatedBody,
  type LocatedValue,
  UnreadableBodyError,
} from "../body/located-body.ts"
import { BoundaryGuard } from "./boundary-guard.ts"
import { looseText } from "./loose-text.ts"
import type { MultipartLimits } from "./multipart-limits.ts"
import { type MultipartEvent, MultipartScanner } from "./multipart-scanner.ts"
import type { PartHead } from "./part-head.ts"
import { type EncryptedParts, hasNoneEncrypted, requireOneReading } from "./part-readings.ts"
import { NO_SELECTORS, selectorsByName } from "./selectors-by-name.ts"

export interface MultipartOptions extends MultipartLimits {
  /** No parser may read another part as one of these. Default: none. */
  readonly encrypted: EncryptedParts
}

/** Applies to a body that is complete. */
const BYTES_PER_STEP = 65_536

/**
 * Locates the values of a multipart/form-data body: its fields, which are the parts without a filename. Every field
 * with a selected name is selected. Files are not values, whatever their names.
 *
 * @throws UnreadableBodyError when it is malformed, ambiguous, beyond a limit, or a selected field is in an unreadable
 * charset or transfer encoding
 */
export function locateMultipart(
  bytes: Buffer,
  boundary: string,
  names: readonly string[],
  options: Partial<MultipartOptions> = {},
): LocatedBody {
  return finish(locateMultipartInSteps(bytes, boundary, names, options))
}

/** `locateMultipart`, in steps. */
export function* locateMultipartInSteps(
  bytes: Buffer,
  boundary: string,
  names: readonly string[],
  options: Partial<MultipartOptions> = {},
): Work<LocatedBody> {
  const fields = yield* locateFields(bytes, boundary, names, options)
  const headByStart = new Map(fields.map(({ head, value }) => [value.start, head]))
  const values = fields.map(({ value }) => value)
  return {
    selected: values.filter(({ selectors }) => selectors.length > 0),
    unselected: () => values.filter(({ selectors }) => selectors.length === 0),
    text({ start, end }) {
      const text = bytes.subarray(start, end)
      if (!isUtf8(text)) throw new UnreadableBodyError("malformed", "A field is not UTF-8.")
      return text
    },
    looseText({ start, end }) {
      const head = headByStart.get(start)
      const text = bytes.subarray(start, end)
      if (head === undefined) return text
      return atOnceUnlessLarge(looseText(text, head.hints), text.length)
    },
    names: () => fields.map(({ head: { name } }) => ({ text: name, path: name })),
    path: ({ start }) => headByStart.get(start)?.name ?? "",
    write(_value, _type, text) {
      new BoundaryGuard(boundary).check(text)
      return text.toString("utf8")
    },
  }
}

interface Field {
  readonly head: PartHead
  readonly value: LocatedValue
}

function* locateFields(
  bytes: Buffer,
  boundary: string,
  names: readonly string[],
  { encrypted, ...limits }: Partial<MultipartOptions>,
): Work<readonly Field[]> {
  const selectorsOf = selectorsByName(names)
  const allowsPreamble = encrypted === undefined || hasNoneEncrypted(encrypted)
  const scanner = new MultipartScanner(boundary, { allowsPreamble, ...limits })
  const fields: Field[] = []
  let end = 0
  let open: { head: PartHead; start: number; selectors: readonly number[] } | null = null
  const take = (event: MultipartEvent) => {
    if (event.kind === "frame" || event.kind === "content") end += event.bytes.length
    if (event.kind === "head" && encrypted !== undefined) requireOneReading(event.head, encrypted)
    if (event.kind === "head" && event.head.filename === null) {
      const selectors = selectorsOf.get(event.head.name) ?? NO_SELECTORS
      if (selectors.length > 0 && !event.head.readable) {
        throw new UnreadableBodyError("malformed", "A selected field uses an unsupported encoding.")
      }
      open = { head: event.head, start: end, selectors }
    }
    if (event.kind === "end-of-part" && open !== null) {
      const { head, start, selectors } = open
      fields.push({ head, value: { start, end, type: "string", selectors } })
      open = null
    }
  }
  for (let at = 0; at < bytes.length; at += BYTES_PER_STEP) {
    if (at > 0) yield
    for (const event of scanner.push(bytes.subarray(at, at + BYTES_PER_STEP))) take(event)
  }
  for (const event of scanner.finish()) take(event)
  return fields
}

import { startOfUtf8 } from "./byte-order-mark.ts"

/** Long enough for a declaration with white space of all sorts, and short enough to be looked at twice. */
const MAX_DECLARATION_BYTES = 512

const LESS_THAN = 0x3c

const ENCODING = /\sencoding\s*=\s*(?:"([A-Za-z][\w.-]*)"|'([A-Za-z][\w.-]*)')/

/**
 * The encoding that an XML declaration tells, in any charset that ASCII is part of; null when there is none, or none
 * that can be read. Whether the declaration is well-formed is not looked at.
 */
export function declaredEncoding(bytes: Buffer): string | null {
  const start = startOfUtf8(bytes)
  if (bytes[start] !== LESS_THAN) return null
  const head = bytes.toString("latin1", start, start + MAX_DECLARATION_BYTES)
  if (!/^<\?xml\s/.test(head)) return null
  const end = head.indexOf("?>")
  const match = ENCODING.exec(end === -1 ? head : head.slice(0, end))
  return match?.[1] ?? match?.[2] ?? null
}

import { startOfUtf8 } from "./byte-order-mark.ts"

/** Long enough for a declaration with any white space, and short enough to be examined twice. */
const MAX_DECLARATION_BYTES = 512

const LESS_THAN = 0x3c

const ENCODING = /\sencoding\s*=\s*(?:"([A-Za-z][\w.-]*)"|'([A-Za-z][\w.-]*)')/

/**
 * Returns the encoding in an XML declaration, in any charset that includes ASCII; null when there is none, or no
 * readable one. Does not check whether the declaration is well-formed.
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

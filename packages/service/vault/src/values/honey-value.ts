import type { Metadata, OpenedValue } from "@sealway/tokens"

/**
 * An authentic honey token, which is never decrypted: in the place of its value is null, so that nothing compiles which
 * could return it.
 */
export interface HoneyValue extends Pick<Metadata, "role"> {
  readonly value: null
  /** The IV of its token, in base64: 16 characters. It identifies the honey token. */
  readonly mark: string
}

const MARK_BYTES = 12

/** Returns the marks that `honeyMarks` computes for a key segment, one by one. */
export function marksIn(honeyMarks: string): readonly Buffer[] {
  const count = honeyMarks.length / MARK_BYTES
  return Array.from({ length: count }, (_, index) =>
    Buffer.from(honeyMarks.slice(index * MARK_BYTES, (index + 1) * MARK_BYTES), "binary"),
  )
}

/**
 * Says whether an opened token or file is a honey token: its IV is a mark of its key segment. It compares all bytes
 * whatever they are, so that nobody finds the marks of a key of his own byte by byte. `timingSafeEqual` would take as
 * long as a tenth of opening a value, for each mark.
 */
export function isHoney(iv: Uint8Array, honeyMarks: string): boolean {
  let matches = 0
  for (let start = 0; start < honeyMarks.length; start += MARK_BYTES) {
    let difference = 0
    for (let at = 0; at < MARK_BYTES; at++) difference |= (iv[at] ?? 0) ^ honeyMarks.charCodeAt(start + at)
    matches += Number(difference === 0)
  }
  return matches > 0
}

export function honeyValueOf(iv: Buffer, role: string | null): HoneyValue {
  return { value: null, role, mark: iv.toString("base64") }
}

/** For values that are known to be no honey tokens. @throws TypeError when it is one after all */
export function requireValue(opened: OpenedValue | HoneyValue): OpenedValue {
  if (opened.value === null) throw new TypeError("A honey token is never decrypted")
  return opened
}

import { timingSafeEqual } from "node:crypto"
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

/**
 * Says whether an opened token or file is a honey token: its IV is the mark of its key segment. Takes the same time for
 * any IV, so that nobody finds the mark of a key of his own byte by byte.
 */
export function isHoney(iv: Uint8Array, honeyMark: Uint8Array): boolean {
  return timingSafeEqual(iv, honeyMark)
}

export function honeyValueOf(iv: Buffer, role: string | null): HoneyValue {
  return { value: null, role, mark: iv.toString("base64") }
}

/** For values that are known to be no honey tokens. @throws TypeError when it is one after all */
export function requireValue(opened: OpenedValue | HoneyValue): OpenedValue {
  if (opened.value === null) throw new TypeError("A honey token is never decrypted")
  return opened
}

import { timingSafeEqual } from "node:crypto"

/**
 * Compares in constant time, so that the time does not reveal where two values differ. Their lengths are not secret.
 */
export function equalInConstantTime(left: string | Uint8Array, right: string | Uint8Array): boolean {
  const [a, b] = [bytesOf(left), bytesOf(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function bytesOf(value: string | Uint8Array): Uint8Array {
  return typeof value === "string" ? Buffer.from(value) : value
}

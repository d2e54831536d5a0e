import { timingSafeEqual } from "node:crypto"

/** Compares without telling by the time it takes where two values differ. Their lengths are no secret. */
export function equalInConstantTime(left: string | Uint8Array, right: string | Uint8Array): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

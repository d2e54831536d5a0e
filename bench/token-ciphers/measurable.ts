import type { Contender } from "../compare.ts"
import type { DocumentCipher } from "./document-cipher.ts"

/** Returns the values of a document of so many: 16 digits each, all different. */
export function documentOfValues(size: number): readonly string[] {
  return Array.from({ length: size }, (_, index) => String(4_242_424_200_000_000 + index))
}

/** Both directions of one cipher, ready to be measured on documents of one size. */
export interface Measurable {
  readonly encrypt: Contender
  readonly decrypt: Contender | null
}

/** Fails when the cipher does not return its input: its speed would mean nothing. */
export async function measurable<Sealed>(
  cipher: DocumentCipher<Sealed>,
  document: readonly string[],
): Promise<Measurable> {
  const { name, sampleSize, decrypt } = cipher
  const values = document.slice(0, sampleSize)
  const items = values.length
  const encrypt = { name, items, run: () => cipher.encrypt(values) }
  if (decrypt === null) return { encrypt, decrypt: null }
  const sealed = await cipher.encrypt(values)
  const opened = await decrypt(sealed)
  if (opened.join() !== values.join()) throw new Error(`${name} does not decrypt what it encrypted`)
  return { encrypt, decrypt: { name, items, run: () => decrypt(sealed) } }
}

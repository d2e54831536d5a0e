import type { EncryptionContext } from "@sealway/ports"

/** Keys and values together. The limit is ours: AWS publishes none. */
const MAX_CONTEXT_CHARACTERS = 8192

/**
 * Encodes an encryption context for authentication: for each pair, sorted by key, the key and then the value, each as
 * its length in 4 bytes (big-endian) and its UTF-8 bytes.
 *
 * Equal maps give equal bytes in any order, and different maps give different bytes, since no character can be mistaken
 * for a boundary.
 *
 * @throws TypeError when a string is empty or is not valid Unicode (unpaired surrogates all have the same UTF-8 bytes),
 * or when it is too long
 */
export function encodeEncryptionContext(context: EncryptionContext): Buffer {
  const pairs = Object.entries(context)
  const texts = pairs.flat()
  const isValid = texts.every((text) => text !== "" && text.isWellFormed())
  const characters = texts.reduce((total, { length }) => total + length, 0)
  if (!isValid || characters > MAX_CONTEXT_CHARACTERS)
    throw new TypeError("The encryption context is invalid")
  const ordered = pairs.sort(([left], [right]) => (left < right ? -1 : 1))
  return Buffer.concat(ordered.flat().map(prefixed))
}

function prefixed(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8")
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

import { KmsError } from "./kms-error.ts"

/** Keys and values together. The limit is ours: AWS publishes none. */
const MAX_CONTEXT_CHARACTERS = 8192

/**
 * Parses the EncryptionContext of a request and encodes it for authentication: for each pair, sorted by key, the key
 * and then the value, each as its length in 4 bytes (big-endian) and its UTF-8 bytes.
 *
 * Equal maps give equal bytes in any order, and different maps give different bytes, since no character can be mistaken
 * for a boundary. A missing context and an empty one are the same, as in AWS.
 *
 * @throws KmsError SerializationException when it is not a map of strings, ValidationException when a string is empty
 * or is not valid Unicode (unpaired surrogates all have the same UTF-8 bytes), or when it is too long.
 */
export function encodeEncryptionContext(context: unknown): Buffer {
  if (context === undefined) return Buffer.alloc(0)
  if (typeof context !== "object" || context === null || Array.isArray(context)) throw notAMapOfStrings()
  // Not with a schema, because schemas drop a `__proto__` key, and what is dropped is not authenticated.
  const pairs = Object.entries(context).map(
    ([key, value]) => [checkedString(key), checkedString(value)] as const,
  )
  const characters = pairs.reduce((total, [key, value]) => total + key.length + value.length, 0)
  if (characters > MAX_CONTEXT_CHARACTERS) throw invalidContext()
  const ordered = pairs.sort(([left], [right]) => (left < right ? -1 : 1))
  return Buffer.concat(ordered.flat().map(prefixed))
}

function checkedString(value: unknown): string {
  if (typeof value !== "string") throw notAMapOfStrings()
  if (value === "" || !value.isWellFormed()) throw invalidContext()
  return value
}

function prefixed(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8")
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

function notAMapOfStrings(): KmsError {
  return new KmsError("SerializationException", "The encryption context is not a map of strings to strings.")
}

function invalidContext(): KmsError {
  return new KmsError("ValidationException", "Invalid EncryptionContext")
}

/**
 * An attribute's value in the API's form: bytes are base64. Records hold no sets.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_AttributeValue.html
 */
export type AttributeValue =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: string }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly L: readonly AttributeValue[] }
  | { readonly M: Readonly<Record<string, AttributeValue>> }

type Attributes = Readonly<Record<string, AttributeValue>>

/**
 * Writes the attributes of an item in the API's form, as the SDK's document client does: members that are undefined are
 * left out.
 *
 * @throws TypeError for a value of another type than text, numbers, booleans, null, bytes, lists and plain objects
 */
export function encodeDocument(document: object): Attributes {
  const members = Object.entries(document).filter(([, value]) => value !== undefined)
  return Object.fromEntries(members.map(([name, value]) => [name, encodeValue(value)]))
}

function encodeValue(value: unknown): AttributeValue {
  if (typeof value === "string") return { S: value }
  if (Number.isFinite(value)) return { N: String(value) }
  if (typeof value === "boolean") return { BOOL: value }
  if (value === null) return { NULL: true }
  if (value instanceof Uint8Array) return { B: bytesOf(value).toString("base64") }
  if (Array.isArray(value)) return { L: value.filter((each) => each !== undefined).map(encodeValue) }
  if (isPlainObject(value)) return { M: encodeDocument(value) }
  throw new TypeError("No attribute can hold a value of this type")
}

function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && [Object.prototype, null].includes(Object.getPrototypeOf(value))
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** Reads what `encodeDocument` writes. */
export function decodeDocument(attributes: Attributes): Record<string, unknown> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, decodeValue(value)]))
}

function decodeValue(value: AttributeValue): unknown {
  if ("S" in value) return value.S
  if ("N" in value) return Number(value.N)
  if ("BOOL" in value) return value.BOOL
  if ("NULL" in value) return null
  if ("B" in value) return new Uint8Array(Buffer.from(value.B, "base64"))
  if ("L" in value) return value.L.map(decodeValue)
  if ("M" in value) return decodeDocument(value.M)
  throw new TypeError("Records hold no sets")
}

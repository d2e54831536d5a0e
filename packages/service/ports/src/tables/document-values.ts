/**
 * An attribute's value in DynamoDB's form. Records hold no sets.
 *
 * @typeParam Bytes how bytes are written: the SDK takes them as they are, JSON needs a text
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_AttributeValue.html
 */
export type AttributeValue<Bytes> =
  | { S: string }
  | { N: string }
  | { B: Bytes }
  | { BOOL: boolean }
  | { NULL: true }
  | { L: AttributeValue<Bytes>[] }
  | { M: Record<string, AttributeValue<Bytes>> }

/** What is read, which may be of another kind. */
interface StoredValue<Bytes> {
  readonly S?: string
  readonly N?: string
  readonly B?: Bytes
  readonly BOOL?: boolean
  readonly NULL?: boolean
  readonly L?: readonly StoredValue<Bytes>[]
  readonly M?: Readonly<Record<string, StoredValue<Bytes>>>
}

export interface DocumentCodec<Bytes> {
  /**
   * Writes the attributes of an item, as the SDK's document client does: members that are undefined are left out.
   *
   * @throws TypeError for a value of another type than text, numbers, booleans, null, bytes, lists and plain objects
   */
  encode(document: object): Record<string, AttributeValue<Bytes>>
  /** Reads what `encode` writes. */
  decode(attributes: Readonly<Record<string, StoredValue<Bytes>>>): Record<string, unknown>
}

export function createDocumentCodec<Bytes>(bytes: {
  write(bytes: Uint8Array): Bytes
  read(written: Bytes): Uint8Array
}): DocumentCodec<Bytes> {
  function encode(document: object): Record<string, AttributeValue<Bytes>> {
    const members = Object.entries(document).filter(([, value]) => value !== undefined)
    return Object.fromEntries(members.map(([name, value]) => [name, encodeValue(value)]))
  }

  function encodeValue(value: unknown): AttributeValue<Bytes> {
    if (typeof value === "string") return { S: value }
    if (Number.isFinite(value)) return { N: String(value) }
    if (typeof value === "boolean") return { BOOL: value }
    if (value === null) return { NULL: true }
    if (value instanceof Uint8Array) return { B: bytes.write(value) }
    if (Array.isArray(value)) return { L: value.filter((each) => each !== undefined).map(encodeValue) }
    if (isPlainObject(value)) return { M: encode(value) }
    throw new TypeError("No attribute can hold a value of this type")
  }

  function decode(attributes: Readonly<Record<string, StoredValue<Bytes>>>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, decodeValue(value)]))
  }

  function decodeValue({ S, N, B, BOOL, NULL, L, M }: StoredValue<Bytes>): unknown {
    if (S !== undefined) return S
    if (N !== undefined) return Number(N)
    if (BOOL !== undefined) return BOOL
    if (NULL !== undefined) return null
    if (B !== undefined) return bytes.read(B)
    if (L !== undefined) return L.map(decodeValue)
    if (M !== undefined) return decode(M)
    throw new TypeError("Records hold no sets")
  }

  return { encode, decode }
}

function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && [Object.prototype, null].includes(Object.getPrototypeOf(value))
}

import { type Edit, spliceBytes } from "@sealway/kernel"
import { isToken, type SealingKey, type SealMetadata } from "@sealway/tokens"
import { beginsLikeToken, findScalars, type Scalar, textOf, valueProblem } from "./json-tokens.ts"

/**
 * Replaces every string, number and boolean of a JSON document by a token. Everything else stays byte for byte:
 * shape, key order, white space, `null`, empty containers, and tokens that are there already.
 *
 * @param sealingKeyFor the key to seal a number of values with
 * @throws InvalidRequestError when the document is not JSON, nests too deep, or holds a lone surrogate
 */
export function encryptJson(
  bytes: Buffer,
  sealingKeyFor: (values: number) => SealingKey,
  metadata: SealMetadata | null,
): Buffer {
  const scalars = findScalars(bytes)
  const key = sealingKeyFor(scalars.length)
  const edits: Edit[] = []
  for (const scalar of scalars) {
    const token = sealScalar(bytes, scalar, key, metadata)
    if (token !== null) edits.push({ start: scalar.start, end: scalar.end, text: `"${token}"` })
  }
  return spliceBytes(bytes, edits)
}

function sealScalar(
  bytes: Buffer,
  scalar: Scalar,
  key: SealingKey,
  metadata: SealMetadata | null,
): string | null {
  const { kind, start, end } = scalar
  switch (kind) {
    case "null":
      return null
    case "number":
    case "boolean":
      return key.seal(kind, bytes.subarray(start, end), metadata ?? undefined)
    case "string":
    case "escaped-string": {
      const text = textOf(bytes, scalar)
      if (text === null)
        throw valueProblem(bytes, scalar, "The string holds a lone surrogate, which is not text.")
      if (beginsLikeToken(text) && isToken(text.toString())) return null
      return key.seal("string", text, metadata ?? undefined)
    }
  }
}

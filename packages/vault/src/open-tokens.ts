import { InvalidTokenError, type OpenedValue, type ParsedToken, parseToken } from "@sealway/tokens"
import { beginsLikeToken, findScalars, type Scalar, textOf, valueProblem } from "./json-tokens.ts"
import type { TokenOpener } from "./token-opener.ts"

/** A token of a document: where it stands, and what it holds. */
export interface OpenedPlace {
  readonly place: Scalar
  readonly opened: OpenedValue
}

/**
 * Opens every token of a JSON document, in order. What is not of the token grammar is data and left alone.
 *
 * @throws InvalidRequestError when the document is not JSON, nests too deep, or holds a token that does not open;
 * the pointer tells which, and nothing tells why
 */
export async function openTokens(bytes: Buffer, opener: TokenOpener): Promise<OpenedPlace[]> {
  const places: OpenedPlace[] = []
  let previous: ParsedToken | null = null
  for (const place of findScalars(bytes)) {
    const text = textOf(bytes, place)
    if (text === null || !beginsLikeToken(text)) continue
    try {
      const token = parseToken(text.toString(), previous)
      if (token === null) continue
      places.push({ place, opened: await opener.openToken(token) })
      previous = token
    } catch (error) {
      if (!(error instanceof InvalidTokenError)) throw error
      throw valueProblem(bytes, place, "The value cannot be decrypted.", error)
    }
  }
  return places
}

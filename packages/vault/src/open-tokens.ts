import { InvalidTokenError, type OpenedValue, parseToken } from "@sealway/tokens"
import { findTokenCandidates, type Scalar, valueProblem } from "./json-tokens.ts"
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
  for (const place of findTokenCandidates(bytes)) {
    try {
      const token = parseToken(place.text)
      if (token !== null) places.push({ place, opened: await opener.openToken(token) })
    } catch (error) {
      if (error instanceof InvalidTokenError)
        throw valueProblem(bytes, place, "The value cannot be decrypted.", error)
      throw error
    }
  }
  return places
}

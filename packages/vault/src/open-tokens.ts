import { decodeJsonString } from "@sealway/platform"
import { InvalidTokenError, type OpenedValue, type ParsedToken, parseToken } from "@sealway/tokens"
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
  let previous: ParsedToken | null = null
  for (const place of findTokenCandidates(bytes)) {
    try {
      const token = parseToken(textAt(bytes, place), previous)
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

function textAt(bytes: Buffer, { kind, start, end }: Scalar): string {
  return decodeJsonString(bytes, kind === "escaped-string", start, end)?.toString() ?? ""
}

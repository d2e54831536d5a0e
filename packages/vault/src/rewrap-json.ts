import { type Edit, spliceBytes } from "@sealway/kernel"
import type { SealingKey } from "@sealway/tokens"
import { openTokens } from "./open-tokens.ts"
import type { TokenOpener } from "./token-opener.ts"

/**
 * Seals every token of a JSON document anew, keeping its type, its role and, with a role, the time it was
 * encrypted. Everything else stays byte for byte. No plaintext is returned, so no policy is asked.
 *
 * @param sealingKeyFor the key to seal a number of values with
 * @throws InvalidRequestError when the document is not JSON, nests too deep, or holds a token that does not open
 */
export async function rewrapJson(
  bytes: Buffer,
  opener: TokenOpener,
  sealingKeyFor: (values: number) => Promise<SealingKey>,
  nowSeconds: number,
): Promise<Buffer> {
  const places = await openTokens(bytes, opener)
  const key = await sealingKeyFor(places.length)
  const edits = places.map(({ place, opened: { type, value, role, encryptedAt } }): Edit => {
    const metadata = role === null ? undefined : { role, encryptedAt: encryptedAt ?? nowSeconds }
    return { start: place.start, end: place.end, text: `"${key.seal(type, value, metadata)}"` }
  })
  return spliceBytes(bytes, edits)
}

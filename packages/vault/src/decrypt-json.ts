import { type Edit, MAX_JSON_DEPTH, pointerAtOffset, SealwayError, spliceBytes } from "@sealway/platform"
import type { Decision } from "@sealway/policies"
import type { OpenedValue } from "@sealway/tokens"
import { openTokens } from "./open-tokens.ts"
import type { TokenOpener } from "./token-opener.ts"

/**
 * Replaces every token of a JSON document by the value it holds. Everything else stays byte for byte.
 *
 * @param decide asked once for each role that occurs
 * @throws InvalidRequestError when the document is not JSON, nests too deep, or holds a token that does not open
 * @throws SealwayError `decrypt/forbidden` when one value may not be decrypted: then none is
 */
export async function decryptJson(
  bytes: Buffer,
  opener: TokenOpener,
  decide: (role: string) => Promise<Decision>,
): Promise<Buffer> {
  const decisions = new Map<string, Decision>()
  const edits: Edit[] = []
  for (const { place, opened } of await openTokens(bytes, opener)) {
    if (opened.role !== null) {
      const decision = decisions.get(opened.role) ?? (await decide(opened.role))
      decisions.set(opened.role, decision)
      if (decision === "deny") throw decryptionForbidden(pointerAtOffset(bytes, place.start, MAX_JSON_DEPTH))
    }
    edits.push({ start: place.start, end: place.end, text: literalOf(opened) })
  }
  return spliceBytes(bytes, edits)
}

function literalOf({ type, value }: OpenedValue): string {
  return type === "string" ? JSON.stringify(value.toString()) : value.toString()
}

function decryptionForbidden(pointer: string): SealwayError {
  const reason = "The policies of the value's data role do not permit decrypting it."
  return new SealwayError("decrypt/forbidden", reason, { fields: [{ pointer, reason }] })
}

import { countDecrypted, countMasked, type DecryptedValues } from "../documents/decrypted-values.ts"

/** The headers of a reply with values, and what they say. */
export const DECRYPTION_HEADERS = {
  "x-service-decrypted-values": "Number of values decrypted, without masked ones; 1 for a file",
  "x-service-masked-values": "Number of values of which the body has masks; 0 for a file",
}

export function decryptionHeaders(values: DecryptedValues): Record<keyof typeof DECRYPTION_HEADERS, string> {
  const masked = countMasked(values)
  return {
    "x-service-decrypted-values": String(countDecrypted(values) - masked),
    "x-service-masked-values": String(masked),
  }
}

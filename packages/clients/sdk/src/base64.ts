/** Decodes base64 (RFC 4648, section 4). Returns null for what is not. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

/** Encodes bytes as base64. For few bytes: each becomes a character first. */
export const encodeBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

/** A multiple of three, so that pieces join without padding, and few enough to be arguments of a call. */
const PIECE_BYTES = 24_576

/** Encodes bytes as base64 (RFC 4648, section 4) without padding. */
export function encodeBase64(bytes: Uint8Array): string {
  // Missing in browsers from before 2025.
  if (typeof bytes.toBase64 === "function") return bytes.toBase64({ omitPadding: true })
  let text = ""
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE_BYTES)))
  }
  return text.replace(/=+$/, "")
}

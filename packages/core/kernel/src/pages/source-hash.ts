import { createHash } from "node:crypto"

/** Returns how a Content-Security-Policy permits one inline style or script: `'sha256-…'` (CSP 3, section 2.3.1). */
export function sourceHash(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`
}

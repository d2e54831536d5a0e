import { hash, randomBytes } from "node:crypto"

const TOKEN_BYTES = 32
const SHAPE = /^[A-Za-z0-9_-]{43}$/

/** Creates the secret of a session: 256 random bits, base64url. */
export function createSessionToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url")
}

/** True for what `createSessionToken` could have created. Needs no look-up. */
export function isSessionToken(text: string): boolean {
  return SHAPE.test(text)
}

/** Returns what is stored of a session's secret. A fast hash is enough for 256 random bits. */
export function hashSessionToken(token: string): string {
  return hash("sha256", `sealway/v1/session/${token}`, "base64url")
}

import { hash, randomBytes } from "node:crypto"
import { SECRET_BYTES } from "./random-secret.ts"

/** Creates the secret of a session: 256 random bits, base64url. */
export function createSessionToken(): string {
  return randomBytes(SECRET_BYTES).toString("base64url")
}

/** Returns what is stored of a session's secret. A fast hash is enough for 256 random bits. */
export function hashSessionToken(token: string): string {
  return hash("sha256", `sealway/v1/session/${token}`, "base64url")
}

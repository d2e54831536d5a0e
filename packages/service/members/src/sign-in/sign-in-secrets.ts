import { createHmac, hash, randomBytes } from "node:crypto"
import { SECRET_BYTES } from "@sealway/accounts"
import type { SignInSecrets } from "./identity-provider.ts"

/** The cookie of a sign-in that is under way. Its value is all that the service needs to know: it stores nothing. */
export const SIGN_IN_COOKIE = "sealway_sign_in"
/** How long a sign-in may take. */
export const SIGN_IN_SECONDS = 10 * 60

/** Creates the value of the cookie: 256 random bits that only this browser has. */
export function createSignInSeed(): string {
  return randomBytes(SECRET_BYTES).toString("base64url")
}

/**
 * Derives the secrets of a sign-in. Whoever has another browser's code cannot use it: state, nonce and PKCE verifier follow
 * from a cookie that they do not have, and none of them reveals it or another.
 */
export function deriveSignInSecrets(seed: string): SignInSecrets {
  const derive = (label: string) =>
    createHmac("sha256", seed).update(`sealway/v1/sign-in/${label}`).digest("base64url")
  return { state: derive("state"), nonce: derive("nonce"), verifier: derive("verifier") }
}

/** Returns the name of a sign-in under which it is noted as done. */
export function signInNameOf({ nonce }: SignInSecrets): string {
  return hash("sha256", nonce, "base64url")
}

import { EMBEDDED_ACCOUNT_ID, EMBEDDED_REGION } from "../credentials.ts"
import type { StringConstraints } from "./request-members.ts"

const ARN_PREFIX = `arn:aws:kms:${EMBEDDED_REGION}:${EMBEDDED_ACCOUNT_ID}:`

/** The request fields `KeyId` and `TargetKeyId`. */
export const KEY_IDENTIFIER_CONSTRAINTS: StringConstraints = { minLength: 1, maxLength: 2048 }

/** How requests name a key: `1234abcd-…`, `alias/name`, or the ARN of either. */
export type KeyIdentifier = { readonly keyId: string } | { readonly alias: string }

/** Returns null when the text has none of the four forms, or names another account or region. */
export function parseKeyIdentifier(text: string): KeyIdentifier | null {
  if (text.startsWith("arn:")) {
    if (!text.startsWith(ARN_PREFIX)) return null
    const resource = text.slice(ARN_PREFIX.length)
    if (resource.startsWith("alias/")) return { alias: resource }
    return resource.startsWith("key/") ? { keyId: resource.slice("key/".length) } : null
  }
  return text.startsWith("alias/") ? { alias: text } : { keyId: text }
}

/** `arn:aws:kms:us-east-1:000000000000:key/1234abcd-…` */
export function keyArn(keyId: string): string {
  return `${ARN_PREFIX}key/${keyId}`
}

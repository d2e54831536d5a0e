import { hash, randomBytes } from "node:crypto"
import { crc32 } from "@sealway/tokens"

/** The purpose of a key: one app in an environment, or managing a team. */
export type ApiKeyKind = "sandbox" | "production" | "team"

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
/** 62^43 > 2^256 */
const RANDOM_CHARACTERS = 43
/** Using only bytes below this makes every character of the alphabet equally likely. */
const EVEN_BYTES = 256 - (256 % ALPHABET.length)
const DRAWN_BYTES = 64
/** 62^6 > 2^32 */
const CHECKSUM_CHARACTERS = 6
const SHAPE = /^swk_(sandbox|production|team)_([0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/

/**
 * Creates a key: `swk_<kind>_<random>_<checksum>`. The random part is 43 characters of base 62, more than 256 bits. The
 * checksum is the CRC-32 of everything before its underscore, in base 62; secret scanners use it to tell a key from a
 * look-alike without a call.
 *
 * @param draw returns unpredictable bytes. Default: the platform's CSPRNG
 */
export function createApiKey(kind: ApiKeyKind, draw: (size: number) => Uint8Array = randomBytes): string {
  let random = ""
  while (random.length < RANDOM_CHARACTERS) {
    // Bytes from the last whole multiple on would make some characters likelier than others.
    for (const byte of draw(DRAWN_BYTES))
      if (byte < EVEN_BYTES) random += ALPHABET.charAt(byte % ALPHABET.length)
  }
  const body = `swk_${kind}_${random.slice(0, RANDOM_CHARACTERS)}`
  return `${body}_${checksum(body)}`
}

/** Returns the kind of a well-formed key with a correct checksum; null for anything else. Needs no look-up. */
export function apiKeyKind(text: string): ApiKeyKind | null {
  const match = text.length <= 80 ? SHAPE.exec(text) : null
  if (match === null) return null
  const [, kind, , sum] = match
  const body = text.slice(0, -CHECKSUM_CHARACTERS - 1)
  if (sum !== checksum(body)) return null
  return kind === "sandbox" || kind === "production" || kind === "team" ? kind : null
}

/**
 * Returns the hash that is stored of a key: SHA-256, base64url. A fast hash is enough because a key has 256 random
 * bits, so there is no dictionary to try; a slow one would only let attackers keep the service busy.
 */
export function hashApiKey(key: string): string {
  return hash("sha256", key, "base64url")
}

function checksum(body: string): string {
  let digits = ""
  for (
    let rest = crc32(Buffer.from(body));
    digits.length < CHECKSUM_CHARACTERS;
    rest = Math.floor(rest / ALPHABET.length)
  ) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits
  }
  return digits
}

import {
  agreedContentKey,
  type ContentKey,
  contentKeyId,
  createKeyAgreement,
  createSealingKeySource,
  generatePrivateKey,
  openToken,
  type ParsedToken,
  parseToken,
} from "@sealway/tokens"
import type { DocumentCipher } from "./document-cipher.ts"

/**
 * Creates a cipher with a new ephemeral key for every document, as the limit has, although Sealway itself keeps one for
 * up to a minute.
 */
export function createSealwayCipher(): DocumentCipher<readonly string[]> {
  const app = createKeyAgreement("prime256v1", generatePrivateKey("prime256v1"))
  const source = createSealingKeySource({
    appPublicKey: app.publicKey,
    debug: false,
    now: () => performance.now(),
    maxAgeMs: 0,
  })
  return {
    name: "Sealway",
    sampleSize: Number.POSITIVE_INFINITY,
    encrypt(values) {
      const key = source.current(values.length)
      return values.map((value) => key.seal("string", value))
    },
    decrypt(tokens) {
      const keys = new Map<string, ContentKey>()
      let previous: ParsedToken | null = null
      return tokens.map((text) => {
        const token = parseToken(text, previous)
        if (token === null) throw new Error("Not a token")
        previous = token
        const id = contentKeyId(token)
        let key = keys.get(id)
        if (key === undefined) {
          key = agreedContentKey(token, app)
          keys.set(id, key)
        }
        return openToken(token, key, app.publicKey).value.toString()
      })
    },
  }
}

/** Seals values that come one at a time, with the ephemeral key kept as long as Sealway keeps it. */
export function createSealwayValueSealer(): (value: string) => string {
  const app = createKeyAgreement("prime256v1", generatePrivateKey("prime256v1"))
  const source = createSealingKeySource({
    appPublicKey: app.publicKey,
    debug: false,
    now: () => performance.now(),
  })
  return (value) => source.current().seal("string", value)
}

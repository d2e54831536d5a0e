import { createECDH } from "node:crypto"
import Evervault from "@evervault/sdk"
import type { DocumentCipher } from "./document-cipher.ts"

/**
 * Creates a cipher that encrypts locally, with a given public key instead of a fetched one. Keeps an ephemeral key for
 * 15 seconds, so that the time for a value does not depend on the document. Decrypts only through a server.
 */
export function createEvervaultCipher(): DocumentCipher<unknown> {
  const client = createClient()
  return {
    name: "@evervault/sdk",
    sampleSize: 200,
    encrypt: (values) => client.encrypt(values),
    decrypt: null,
  }
}

export function createEvervaultValueSealer(): (value: string) => Promise<unknown> {
  const client = createClient()
  return (value) => client.encrypt(value)
}

function createClient(): Evervault {
  const app = createECDH("prime256v1")
  const publicKey = app.generateKeys("base64", "compressed")
  return new Evervault("app_benchmark", `pk:${publicKey}`, { curve: "prime256v1" })
}

import { KeyUnavailableError } from "@sealway/kernel"
import {
  createKeyAgreement,
  decodeSubjectPublicKey,
  generatePrivateKey,
  type KeyAgreement,
} from "@sealway/tokens"
import * as z from "zod"
import { InvalidCiphertextError, type Keys, type ListedKey } from "../ports/keys.ts"

interface HeldKey {
  readonly listed: ListedKey
  readonly agreement: KeyAgreement
}

const ciphertextSchema = z.tuple([z.string(), z.string(), z.string()])

/** Creates keys in memory. They hide nothing: a ciphertext is its plaintext, beside its key and its context. */
export function createMemoryKeys(wallClock: () => number = () => 0): Keys {
  const held = new Map<string, HeldKey>()
  const textOf = (context: Readonly<Record<string, string>>) => JSON.stringify(Object.entries(context).sort())
  return {
    seal: async (key, plaintext, context) =>
      Buffer.from(JSON.stringify([key, textOf(context), Buffer.from(plaintext).toString("hex")])),
    async open(key, ciphertext, context) {
      const [sealedWith, sealedIn, hex] = parse(ciphertext)
      if (sealedWith !== key || sealedIn !== textOf(context)) throw invalid()
      return Buffer.from(hex, "hex")
    },
    async createAgreementKey(tags) {
      const agreement = createKeyAgreement("prime256v1", generatePrivateKey("prime256v1"))
      const keyId = `key-${held.size + 1}`
      const listed = { keyId, tags: new Map(Object.entries(tags)), createdAt: wallClock() }
      held.set(keyId, { listed, agreement })
      return { keyId, publicKey: agreement.publicKey }
    },
    async agree(keyId, publicKey) {
      const key = held.get(keyId)
      if (key === undefined) throw new KeyUnavailableError()
      const other = pointOf(publicKey)
      return other && key.agreement.sharedSecret(other)
    },
    async *listAgreementKeys(tags) {
      const wanted = Object.entries(tags)
      for (const { listed } of held.values())
        if (wanted.every(([name, value]) => listed.tags.get(name) === value)) yield listed
    },
    async scheduleDeletion(keyId) {
      held.delete(keyId)
    },
  }
}

function parse(ciphertext: Uint8Array): [string, string, string] {
  try {
    return ciphertextSchema.parse(JSON.parse(Buffer.from(ciphertext).toString()))
  } catch {
    throw invalid()
  }
}

function pointOf(publicKey: Uint8Array): Buffer | null {
  try {
    return decodeSubjectPublicKey("prime256v1", publicKey)
  } catch {
    return null
  }
}

const invalid = () => new InvalidCiphertextError("This is another context, or no ciphertext")

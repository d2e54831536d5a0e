import { createPublicKey, diffieHellman, type KeyObject } from "node:crypto"
import { KeyUnavailableError } from "@sealway/kernel"
import { InvalidCiphertextError, type Keys } from "@sealway/ports"
import { decodeSubjectPublicKey } from "@sealway/tokens"
import { openBlob, sealBlob } from "./ciphertext-blob.ts"
import { encodeEncryptionContext } from "./encryption-context.ts"
import { type KeyStore, requireInUse, type SymmetricKey } from "./key-store.ts"

const DAY_MS = 86_400_000
const WINDOW_DAYS = { min: 7, max: 30 }
const MAX_PLAINTEXT_BYTES = 4_096
const SPKI = { format: "der", type: "spki" } as const

/** Keys of this process, with the limits of KMS. */
export function createLocalKeys(store: KeyStore): Keys {
  function symmetric(name: string): SymmetricKey {
    const key = requireInUse(store.find(name))
    if (key.spec !== "SYMMETRIC_DEFAULT") throw new TypeError("The key is not one that encrypts")
    return key
  }

  return {
    async seal(name, plaintext, context) {
      if (plaintext.length === 0 || plaintext.length > MAX_PLAINTEXT_BYTES)
        throw new TypeError("A plaintext has 1 to 4,096 bytes")
      return sealBlob(symmetric(name), plaintext, encodeEncryptionContext(context))
    },

    async open(name, ciphertext, context) {
      const key = symmetric(name)
      const plaintext = openBlob(key, Buffer.from(ciphertext), encodeEncryptionContext(context))
      if (plaintext === null) throw new InvalidCiphertextError("The ciphertext does not fit key and context")
      return plaintext
    },

    async createAgreementKey(tags) {
      const description = "The private key of an app's key version"
      const { id, secret } = await store.createAgreementKey(description, new Map(Object.entries(tags)))
      const publicKey = decodeSubjectPublicKey("prime256v1", createPublicKey(secret).export(SPKI))
      return { keyId: id, publicKey }
    },

    async agree(keyId, publicKey) {
      const { spec, secret: privateKey } = requireInUse(store.find(keyId))
      if (spec !== "ECC_NIST_P256") throw new KeyUnavailableError()
      const other = publicKeyOf(Buffer.from(publicKey))
      return other && diffieHellman({ privateKey, publicKey: other })
    },

    async *listAgreementKeys(tags) {
      const wanted = Object.entries(tags)
      for (const { id, spec, deletionDate, tags: its, createdAt } of store.list()) {
        const isWanted = spec === "ECC_NIST_P256" && deletionDate === null
        if (isWanted && wanted.every(([name, value]) => its.get(name) === value))
          yield { keyId: id, tags: its, createdAt: createdAt.getTime() }
      }
    },

    async scheduleDeletion(keyId, days) {
      if (!(days >= WINDOW_DAYS.min && days <= WINDOW_DAYS.max))
        throw new TypeError("A key is deleted after 7 to 30 days")
      await store.scheduleDeletion(keyId, new Date(Date.now() + days * DAY_MS))
    },
  }
}

/** Returns null for what is no public key of P-256. */
function publicKeyOf(encoded: Buffer): KeyObject | null {
  try {
    const key = createPublicKey({ key: encoded, ...SPKI })
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : null
  } catch {
    return null
  }
}

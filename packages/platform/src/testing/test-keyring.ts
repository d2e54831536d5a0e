import {
  createKeyAgreement,
  encodeSubjectPublicKey,
  generatePrivateKey,
  type KeyAgreement,
} from "@sealway/tokens"
import * as z from "zod"
import { createKeyring, type Keyring } from "../keys/keyring.ts"
import type { KmsAgreement } from "../keys/kms-agreement.ts"
import type { KmsEnvelope } from "../keys/kms-envelope.ts"
import { createMemoryTable } from "./memory-table.ts"

const CREATED_AT = 1_700_000_000_000

const envelopeSchema = z.tuple([z.record(z.string(), z.string()), z.string()])

/** Creates a fake KMS, which binds to the context as KMS does. */
export function createTestEnvelope(): KmsEnvelope {
  return {
    seal: async (plaintext, context) =>
      Buffer.from(JSON.stringify([context, Buffer.from(plaintext).toString("hex")])),
    async open(ciphertext, context) {
      const [sealedIn, hex] = envelopeSchema.parse(JSON.parse(Buffer.from(ciphertext).toString()))
      if (JSON.stringify(sealedIn) !== JSON.stringify(context)) throw new Error("This is another context")
      return Buffer.from(hex, "hex")
    },
  }
}

/** Creates fake private keys in KMS, which are in memory. */
export function createTestAgreement(): KmsAgreement {
  const keys = new Map<string, KeyAgreement>()
  return {
    async createKey() {
      const key = createKeyAgreement("prime256v1", generatePrivateKey("prime256v1"))
      const keyId = `key-${keys.size + 1}`
      keys.set(keyId, key)
      return { keyId, publicKey: key.publicKey }
    },
    async agree(keyId, ephemeralPublicKey) {
      const key = keys.get(keyId)
      if (key === undefined) throw new Error("There is no such key")
      return encodeSubjectPublicKey("prime256v1", ephemeralPublicKey) && key.sharedSecret(ephemeralPublicKey)
    },
  }
}

/** Creates a keyring with its own fake KMS, for tests: an app has keys once a version is added. */
export function createTestKeyring(agreement = createTestAgreement()): Keyring {
  return createKeyring({
    configTable: createMemoryTable(),
    keysTable: createMemoryTable(),
    eventsTable: createMemoryTable(),
    envelope: createTestEnvelope(),
    agreement,
    keyTags: {},
    now: () => 0,
    wallClock: () => CREATED_AT,
  })
}

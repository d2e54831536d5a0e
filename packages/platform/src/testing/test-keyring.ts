import * as z from "zod"
import { createKeyring, type Keyring } from "../keys/keyring.ts"
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

/** Creates a keyring with its own fake KMS, for tests: an app has keys once a version is added. */
export function createTestKeyring(): Keyring {
  return createKeyring({
    table: createMemoryTable(),
    envelope: createTestEnvelope(),
    now: () => 0,
    wallClock: () => CREATED_AT,
  })
}

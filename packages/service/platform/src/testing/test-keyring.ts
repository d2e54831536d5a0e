import { createKeyring, type Keyring } from "../keys/keyring.ts"
import { createKmsAgreement, type KmsAgreement } from "../keys/kms-agreement.ts"
import { createKmsEnvelope, type KmsEnvelope } from "../keys/kms-envelope.ts"
import { createMemoryKeys } from "./memory-keys.ts"
import { createMemoryTable } from "./memory-table.ts"

const CREATED_AT = 1_700_000_000_000

/** Encrypts under a key in memory, for tests. */
export function createTestEnvelope(): KmsEnvelope {
  return createKmsEnvelope(createMemoryKeys(), "alias/test")
}

/** Has private keys in memory, for tests. */
export function createTestAgreement(): KmsAgreement {
  return createKmsAgreement(createMemoryKeys())
}

/** Creates a keyring with keys in memory, for tests: an app has keys once a version is added. */
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

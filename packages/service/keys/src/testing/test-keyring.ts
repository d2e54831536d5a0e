import { createMemoryKeys, createMemoryTable } from "@sealway/ports/testing"
import { createKeyring, type Keyring } from "../keyring/keyring.ts"
import { createKmsAgreement, type KmsAgreement } from "../keyring/kms-agreement.ts"
import { createKmsEnvelope, type KmsEnvelope } from "../keyring/kms-envelope.ts"

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

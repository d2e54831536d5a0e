import type { App } from "@sealway/accounts"
import { TEST_APP } from "@sealway/accounts/testing"
import { type Keyring, sealingKeysOf } from "@sealway/keys"
import { createTestKeyring } from "@sealway/keys/testing"
import { createSealingKey, createSymmetricKeys, type SealingKey } from "@sealway/tokens"
import { createTokenOpener, decryptJson } from "@sealway/vault"

/** The keys of an app, and how values are sealed to it at as many times as there are values. */
export interface AgedApp {
  readonly app: App
  readonly keyring: Keyring
  /** Seals each value with another ephemeral key, as that many clients do. */
  byClients(values: readonly string[]): Promise<readonly string[]>
  /** Seals each value with another salt. */
  symmetrically(values: readonly string[]): Promise<readonly string[]>
  /** Seals all values with one salt, as the service does within a minute. */
  symmetricallyAtOnce(values: readonly string[]): Promise<readonly string[]>
}

export async function createAgedApp(
  keyring: Keyring = createTestKeyring(),
  app: App = TEST_APP,
): Promise<AgedApp> {
  await keyring.addVersion(app)
  const { publicKeys, valueKey, version } = await keyring.newest(app, "value")
  const appPublicKey = publicKeys.prime256v1
  const debug = app.environment === "sandbox"
  const { sealingKeys } = createSymmetricKeys({
    keyVersion: version,
    valueKey,
    appPublicKey,
    debug,
    now: () => 0,
    maxAgeMs: 0,
  })
  return {
    app,
    keyring,
    byClients: async (values) => sealEach(values, () => createSealingKey({ appPublicKey, debug })),
    symmetrically: async (values) => sealEach(values, () => sealingKeys.current()),
    async symmetricallyAtOnce(values) {
      const key = (await sealingKeysOf(keyring, { ...app, sealing: "symmetric" })).current(values.length)
      return sealEach(values, () => key)
    },
  }
}

function sealEach(values: readonly string[], keyFor: () => SealingKey): readonly string[] {
  const metadata = { role: null, encryptedAt: 1_795_000_000 }
  return values.map((value) => keyFor().seal("string", value, metadata))
}

export function cardNumbers(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => String(4_242_424_200_000_000 + index))
}

/** Returns documents of so many tokens each. */
export function documentsOf(tokens: readonly string[], size: number): readonly Buffer[] {
  return Array.from({ length: Math.floor(tokens.length / size) }, (_, index) =>
    Buffer.from(JSON.stringify(tokens.slice(index * size, (index + 1) * size))),
  )
}

/** Decrypts a document as a request does, without HTTP. */
export async function decryptDocument(document: Buffer, { keyring, app }: Pick<AgedApp, "keyring" | "app">) {
  const opener = createTokenOpener(keyring, app)
  return (await decryptJson(document, opener, async () => new Map())).bytes
}

import type { App } from "@sealway/accounts"
import { TEST_APP as APP } from "@sealway/accounts/testing"
import { openForApp } from "@sealway/keys"
import { createTestKeyring } from "@sealway/keys/testing"
import { RANDOM_DRAWS } from "@sealway/ports"
import { describe, expect, test } from "vitest"
import { generateSecret, openSecret, sealSecret } from "./secret.ts"

const ENDPOINT = "webhook_endpoint_1"
const OTHER: App = { ...APP, id: "app_2" }

describe("a signing secret", () => {
  test("is whsec_ and 32 random bytes in base64", () => {
    const secrets = Array.from({ length: 100 }, () => generateSecret(RANDOM_DRAWS))
    for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(new Set(secrets).size).toBe(100)
  })

  test("opens to the same secret, even after the app's keys were rotated", async () => {
    const keyring = createTestKeyring()
    await keyring.addVersion(APP)
    const secret = generateSecret(RANDOM_DRAWS)
    const sealed = await sealSecret(keyring, APP, ENDPOINT, secret)
    expect(sealed).toMatchObject({ keyVersion: 1, expiresAt: null })
    await keyring.addVersion(APP)
    expect(await sealSecret(keyring, APP, ENDPOINT, secret)).toMatchObject({ keyVersion: 2 })
    expect(await openSecret(keyring, APP, ENDPOINT, sealed)).toBe(secret)
  })

  test("is sealed for the purpose of webhooks and for its endpoint", async () => {
    const keyring = createTestKeyring()
    await keyring.addVersion(APP)
    const secret = generateSecret(RANDOM_DRAWS)
    const sealed = await sealSecret(keyring, APP, ENDPOINT, secret)
    const place = { app: APP, purpose: "webhook-secret", place: ENDPOINT } as const
    expect((await openForApp(keyring, place, sealed))?.toString()).toBe(secret)
  })

  test("is sealed differently each time, and reveals nothing", async () => {
    const keyring = createTestKeyring()
    await keyring.addVersion(APP)
    const secret = generateSecret(RANDOM_DRAWS)
    const [one, two] = await Promise.all([1, 2].map(() => sealSecret(keyring, APP, ENDPOINT, secret)))
    expect(one?.sealed).not.toEqual(two?.sealed)
    expect(Buffer.from(one?.sealed ?? []).includes(secret)).toBe(false)
  })

  test("does not open for another app, endpoint or key version, or with any byte changed or missing", async () => {
    const keyring = createTestKeyring()
    for (const app of [APP, APP, OTHER]) await keyring.addVersion(app)
    const sealed = {
      ...(await sealSecret(keyring, APP, ENDPOINT, generateSecret(RANDOM_DRAWS))),
      keyVersion: 2,
    }
    await openSecret(keyring, APP, ENDPOINT, sealed)
    await expect(openSecret(keyring, OTHER, ENDPOINT, { ...sealed, keyVersion: 1 })).rejects.toThrow()
    await expect(openSecret(keyring, APP, "webhook_endpoint_2", sealed)).rejects.toThrow()
    await expect(openSecret(keyring, APP, ENDPOINT, { ...sealed, keyVersion: 1 })).rejects.toThrow()
    for (let index = 0; index < sealed.sealed.length; index++) {
      const changed = Uint8Array.from(sealed.sealed)
      changed[index] = (changed[index] ?? 0) ^ 1
      await expect(openSecret(keyring, APP, ENDPOINT, { ...sealed, sealed: changed })).rejects.toThrow()
      const cut = sealed.sealed.slice(0, index)
      await expect(openSecret(keyring, APP, ENDPOINT, { ...sealed, sealed: cut })).rejects.toThrow()
    }
  })
})

import { createSecretKey, randomBytes } from "node:crypto"
import type { App } from "@sealway/accounts"
import { TEST_APP } from "@sealway/accounts/testing"
import type { KeyVersion } from "@sealway/keys"
import { createTestKeyring } from "@sealway/keys/testing"
import { createSealingKey, InvalidTokenError, parseToken } from "@sealway/tokens"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { requireValue } from "./honey-value.ts"
import { createTokenOpener } from "./token-opener.ts"

const app = TEST_APP
const otherApp: App = { ...TEST_APP, id: "app_2" }

let keyring: ReturnType<typeof createTestKeyring>
let agreements = 0

async function watch(owner: App, version: number): Promise<KeyVersion> {
  const keyVersion = await keyring.open(owner, version, "private")
  const { sharedSecret } = keyVersion
  vi.spyOn(keyVersion, "sharedSecret").mockImplementation((...given) => {
    agreements++
    return sharedSecret(...given)
  })
  return keyVersion
}

beforeEach(async () => {
  keyring = createTestKeyring()
  for (const owner of [app, otherApp]) await keyring.addVersion(owner)
  agreements = 0
})

function sealSymmetrically({ symmetric }: KeyVersion): string {
  if (symmetric === null) throw new Error("The version has no key of values")
  return symmetric.sealingKeys.current().seal("string", "x")
}

/** Opens a token as one request does. */
async function open(text: string, owner = app): Promise<string> {
  const token = parseToken(text)
  if (token === null) throw new Error("Not a token")
  return requireValue(await createTokenOpener(keyring, owner).openToken(token)).value.toString()
}

/** Flips one bit of a segment; segments count from the end. */
function flipped(text: string, segment: number): string {
  const segments = text.split(":")
  const bytes = Buffer.from(segments.at(segment) ?? "", "base64")
  bytes[9] = (bytes[9] ?? 0) ^ 1
  return segments.with(segment, bytes.toString("base64").replace(/=+$/, "")).join(":")
}

describe("a value that was sealed to the public key", () => {
  test("needs no key agreement when an earlier request opened one of the same ephemeral key", async () => {
    const { publicKeys } = await watch(app, 1)
    const key = createSealingKey({ appPublicKey: publicKeys.prime256v1, debug: true })
    for (const text of ["a", "b", "c"]) expect(await open(key.seal("string", text))).toBe(text)
    expect(agreements).toBe(1)
  })

  test("needs none either when it is of an older version than the newest", async () => {
    const { publicKeys } = await watch(app, 1)
    await keyring.addVersion(app)
    await watch(app, 2)
    const key = createSealingKey({ appPublicKey: publicKeys.prime256v1, debug: true })
    expect(await open(key.seal("string", "a"))).toBe("a")
    expect(agreements).toBe(2)
    expect(await open(key.seal("string", "b"))).toBe("b")
    expect(agreements).toBe(2)
  })

  test("leaves no content key behind when its tag is wrong", async () => {
    const { publicKeys, contentKeys } = await watch(app, 1)
    const keep = vi.spyOn(contentKeys, "keep")
    const key = createSealingKey({ appPublicKey: publicKeys.prime256v1, debug: true })
    const text = key.seal("string", "a")
    await expect(open(flipped(text, -2))).rejects.toThrow(InvalidTokenError)
    await expect(open(flipped(text, -3))).rejects.toThrow(InvalidTokenError)
    expect(keep).not.toHaveBeenCalled()
    expect(await open(text)).toBe("a")
    expect(keep).toHaveBeenCalledOnce()
  })

  test("is refused with a wrong tag although its content key is known, and opens again afterwards", async () => {
    const { publicKeys } = await watch(app, 1)
    const text = createSealingKey({ appPublicKey: publicKeys.prime256v1, debug: true }).seal("string", "abc")
    expect(await open(text)).toBe("abc")
    for (const changed of [flipped(text, -2), flipped(text, -4)]) {
      await expect(open(changed)).rejects.toThrow(InvalidTokenError)
    }
    expect(await open(text)).toBe("abc")
  })

  test("does not open in another app because of the content key that this one has kept", async () => {
    const { publicKeys } = await watch(app, 1)
    await watch(otherApp, 1)
    const text = createSealingKey({ appPublicKey: publicKeys.prime256v1, debug: true }).seal("string", "a")
    expect(await open(text)).toBe("a")
    await expect(open(text, otherApp)).rejects.toThrow(InvalidTokenError)
    expect(agreements).toBe(2)
  })

  test("opens with a wrong content key in its place as if there were none", async () => {
    const { publicKeys, contentKeys } = await watch(app, 1)
    const text = createSealingKey({ appPublicKey: publicKeys.prime256v1, debug: true }).seal("string", "a")
    const wrong = {
      contentKey: createSecretKey(randomBytes(32)),
      honeyMarks: randomBytes(60).toString("binary"),
    }
    contentKeys.keep(text.split(":").at(-3) ?? "", wrong)
    expect(await open(text)).toBe("a")
    expect(agreements).toBe(1)
  })
})

describe("a symmetric value", () => {
  test("opens without a key agreement, with the version that it names, whichever is the newest", async () => {
    const first = await watch(app, 1)
    await keyring.addVersion(app)
    const second = await watch(app, 2)
    const texts = [first, second].map((version) => sealSymmetrically(version))
    for (const text of [...texts, ...texts.toReversed()]) expect(await open(text)).toBe("x")
    expect(agreements).toBe(0)
  })

  test("opens when another process has just added the version that it names", async () => {
    await keyring.versions(app)
    await keyring.addVersion(app)
    const { symmetric } = await keyring.newest(app, "value")
    expect(await open(symmetric.sealingKeys.current().seal("string", "x"))).toBe("x")
  })

  test("is refused when the app has no such version, or it is another app's", async () => {
    const text = sealSymmetrically(await watch(app, 1))
    await expect(open(text, otherApp)).rejects.toThrow(InvalidTokenError)
    const segments = text.split(":")
    const segment = Buffer.from(segments.at(-3) ?? "", "base64")
    for (const version of [2, 100, 127]) {
      segment[0] = 0x80 | version
      await expect(open(segments.with(-3, segment.toString("base64")).join(":"))).rejects.toThrow(
        InvalidTokenError,
      )
    }
    expect(agreements).toBe(0)
  })
})

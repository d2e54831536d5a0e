import { duplexPair } from "node:stream"
import { KeyUnavailableError } from "@sealway/kernel"
import { isUnavailability, type Keys } from "@sealway/ports"
import { createMemoryKeys } from "@sealway/ports/testing"
import { encodeSubjectPublicKey } from "@sealway/tokens"
import { expect, test } from "vitest"
import { createCaller } from "../calls/create-caller.ts"
import { serveCalls } from "../calls/serve-calls.ts"
import { keyMethods, keysOver } from "./key-calls.ts"

const ALIAS = "alias/a"
const SECRET = Buffer.of(0, 255)

/** Returns keys of one process, and the same as another one has them. */
function shareKeys(): { readonly own: Keys; readonly shared: Keys; end(): void } {
  const [near, far] = duplexPair()
  const own = createMemoryKeys()
  serveCalls(far, keyMethods(own, ALIAS))
  const end = () => {
    far.destroy()
    near.destroy()
  }
  return { own, shared: keysOver(createCaller(near, 3_000)), end }
}

const spkiOf = (point: Uint8Array) => encodeSubjectPublicKey("prime256v1", point) ?? Buffer.alloc(0)
const errorOf = (promise: Promise<unknown>) => promise.catch((error: unknown) => error)

test("another process seals, opens and agrees by the same keys", async () => {
  const { own, shared } = shareKeys()
  const sealed = await shared.seal(ALIAS, SECRET, { app: "1" })
  expect(Buffer.from(await own.open(ALIAS, sealed, { app: "1" }))).toEqual(SECRET)
  expect(await shared.open(ALIAS, sealed, { app: "1" })).toEqual(SECRET)
  const [one, other] = [await own.createAgreementKey({}), await own.createAgreementKey({})]
  const secret = await shared.agree(one.keyId, spkiOf(other.publicKey))
  expect(secret).toEqual(await own.agree(other.keyId, spkiOf(one.publicKey)))
  expect(await shared.agree(one.keyId, SECRET)).toBeNull()
})

test("another process gets errors of the same kind", async () => {
  const { own, shared } = shareKeys()
  const { keyId, publicKey } = await own.createAgreementKey({})
  await own.scheduleDeletion(keyId, 7)
  expect(await errorOf(shared.agree(keyId, spkiOf(publicKey)))).toBeInstanceOf(KeyUnavailableError)
  const sealed = await shared.seal(ALIAS, SECRET, { app: "1" })
  const refused = shared.open(ALIAS, sealed, { app: "2" })
  await expect(refused).rejects.toMatchObject({ name: "InvalidCiphertextException" })
})

test("another process can use no other symmetric key, and can neither create keys nor list or delete them", async () => {
  const { own, shared } = shareKeys()
  const sealed = await own.seal("alias/other", SECRET, {})
  await expect(shared.open("alias/other", sealed, {})).rejects.toThrow(TypeError)
  await expect(shared.seal("alias/other", SECRET, {})).rejects.toThrow(TypeError)
  expect([...keyMethods(own, ALIAS).keys()]).toEqual(["keys.seal", "keys.open", "keys.agree"])
  for (const call of [shared.createAgreementKey, shared.listAgreementKeys, shared.scheduleDeletion])
    expect(call).toThrow(TypeError)
})

test("calls throw unavailability when the process with the keys has ended", async () => {
  const { shared, end } = shareKeys()
  end()
  expect(isUnavailability(await errorOf(shared.seal(ALIAS, SECRET, {})))).toBe(true)
})

import { expect, test } from "vitest"
import { EMPTY_KEY_STORE, KeyStore, type KeyStoreContent } from "./key-store.ts"

const newStore = () => new KeyStore(EMPTY_KEY_STORE, async () => undefined)

test("finds a key by its alias and its id", async () => {
  const keys = newStore()
  await keys.ensureKey("alias/a", "of a")

  const key = keys.find("alias/a")

  expect(key).toMatchObject({ description: "of a", spec: "SYMMETRIC_DEFAULT" })
  expect(keys.find(key?.id ?? "")).toBe(key)
})

test.each(["6f1a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b", "alias/other", "alias/", "a", "__proto__"])(
  "finds no key by %o",
  async (name) => {
    const keys = newStore()
    await keys.ensureKey("alias/a", "")

    expect(keys.find(name)).toBeNull()
  },
)

test("creates one key for an alias that is asked for twice at the same time", async () => {
  const keys = newStore()

  await Promise.all(["first", "second"].map((description) => keys.ensureKey("alias/a", description)))

  expect(keys.list().map(({ description }) => description)).toEqual(["first"])
})

test("saves every change completely, one after another", async () => {
  const saved: KeyStoreContent[] = []
  const keys = new KeyStore(EMPTY_KEY_STORE, async (content) => void saved.push(content))

  const created = await Promise.all([1, 2, 3].map(() => keys.createAgreementKey("", new Map())))

  expect(saved.map(({ keys }) => keys.size)).toEqual([1, 2, 3])
  expect([...(saved.at(-1)?.keys.keys() ?? [])]).toEqual(created.map(({ id }) => id))
})

test("discards a change that could not be saved, and accepts the next", async () => {
  let diskIsFull = true
  const keys = new KeyStore(EMPTY_KEY_STORE, async () => {
    if (diskIsFull) throw new Error("no space left")
  })
  await expect(keys.ensureKey("alias/a", "")).rejects.toMatchObject({ name: "UnavailableError" })
  expect(keys.find("alias/a")).toBeNull()
  diskIsFull = false

  await keys.ensureKey("alias/a", "")

  expect(keys.find("alias/a")).not.toBeNull()
})

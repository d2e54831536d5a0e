import { expect, test } from "vitest"
import { EMPTY_KEY_STORE, KeyStore, type KeyStoreContent } from "./key-store.ts"

const PREFIX = "arn:aws:kms:us-east-1:000000000000:"

test("finds a key by its id, its alias, and the ARN of either", async () => {
  const keys = new KeyStore(EMPTY_KEY_STORE, async () => undefined)
  const key = await keys.createKey("")
  await keys.createAlias("alias/a", key)

  for (const name of [key.id, `${PREFIX}key/${key.id}`, "alias/a", `${PREFIX}alias/a`]) {
    expect(keys.resolve(name)).toBe(key)
  }
})

test.each([
  "6f1a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b",
  "alias/other",
  "alias/",
  "a",
  "arn:aws:kms:us-east-1:000000000000:other/a",
  "arn:aws:kms:us-west-2:000000000000:alias/a",
  "arn:aws:kms:us-east-1:111111111111:alias/a",
  "__proto__",
])("refuses %o with NotFoundException", async (name) => {
  const keys = new KeyStore(EMPTY_KEY_STORE, async () => undefined)
  await keys.createAlias("alias/a", await keys.createKey(""))

  expect(() => keys.resolve(name)).toThrow(expect.objectContaining({ type: "NotFoundException" }))
})

test("gives an alias to only one of two keys that request it at the same time", async () => {
  const keys = new KeyStore(EMPTY_KEY_STORE, async () => undefined)
  const [first, second] = await Promise.all([keys.createKey("1"), keys.createKey("2")])

  const outcomes = await Promise.allSettled([
    keys.createAlias("alias/a", first),
    keys.createAlias("alias/a", second),
  ])

  expect(outcomes).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: { type: "AlreadyExistsException" } },
  ])
  expect(keys.resolve("alias/a")).toBe(first)
})

test("saves every change completely, one after another", async () => {
  const saved: KeyStoreContent[] = []
  const keys = new KeyStore(EMPTY_KEY_STORE, async (content) => void saved.push(content))

  const created = await Promise.all([keys.createKey("1"), keys.createKey("2"), keys.createKey("3")])

  expect(saved.map(({ keys }) => keys.size)).toEqual([1, 2, 3])
  expect([...(saved.at(-1)?.keys.keys() ?? [])]).toEqual(created.map(({ id }) => id))
})

test("discards a change that could not be saved, and accepts the next", async () => {
  let diskIsFull = false
  const keys = new KeyStore(EMPTY_KEY_STORE, async () => {
    if (diskIsFull) throw new Error("no space left")
  })
  const key = await keys.createKey("")
  diskIsFull = true
  await expect(keys.createAlias("alias/a", key)).rejects.toThrow("no space left")
  expect(() => keys.resolve("alias/a")).toThrow()
  diskIsFull = false

  await keys.createAlias("alias/a", key)

  expect(keys.resolve("alias/a")).toBe(key)
})

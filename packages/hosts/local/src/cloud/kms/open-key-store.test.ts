import { chmod, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { createLocalKeys } from "./local-keys.ts"
import { openKeyStore } from "./open-key-store.ts"

const CONTEXT = { app: "1" }

test("opens what was sealed before a restart, with the same alias", async () => {
  const folder = await temporaryFolder()
  const before = await openKeyStore(folder)
  await before.ensureKey("alias/a", "of the stage")
  const sealed = await createLocalKeys(before).seal("alias/a", Buffer.from("secret"), CONTEXT)

  const after = await openKeyStore(folder)

  expect(after.find("alias/a")).toEqual(before.find("alias/a"))
  const opened = await createLocalKeys(after).open("alias/a", sealed, CONTEXT)
  expect(Buffer.from(opened).toString()).toBe("secret")
})

test("opens a key of key agreement, its tags, and the date of a deletion, after a restart", async () => {
  const folder = await temporaryFolder()
  const before = await openKeyStore(folder)
  const tags = new Map([["sealway:app", "app_1"]])
  const key = await before.createAgreementKey("of an app", tags)
  const deletionDate = new Date(Date.now() + 86_400_000)
  await before.scheduleDeletion(key.id, deletionDate)

  const after = (await openKeyStore(folder)).find(key.id)

  expect(after).toMatchObject({ spec: "ECC_NIST_P256", description: "of an app", tags, deletionDate })
  expect(after?.secret.equals(key.secret)).toBe(true)
})

test("keeps no key whose date of deletion has come", async () => {
  const folder = await temporaryFolder()
  const keys = await openKeyStore(folder)
  const { id } = await keys.createAgreementKey("", new Map())
  await keys.scheduleDeletion(id, new Date(Date.now() - 1))
  await keys.ensureKey("alias/b", "")
  expect((await openKeyStore(folder)).find(id)).toBeNull()
})

test("refuses with key-file-unusable a key whose kind was changed", async () => {
  const folder = await temporaryFolder()
  await (await openKeyStore(folder)).createAgreementKey("", new Map())
  const path = join(folder, "keys.json")
  await writeFile(path, (await readFile(path, "utf8")).replace(/,\s*"spec": "ECC_NIST_P256"/, ""))

  await expect(openKeyStore(folder)).rejects.toMatchObject({ code: "key-file-unusable" })
})

test("writes no secret in plain text and nothing that others can read, and leaves no temporary file", async () => {
  const folder = await temporaryFolder()
  const keys = await openKeyStore(folder)
  await keys.ensureKey("alias/a", "")
  const key = keys.find("alias/a")
  if (key?.spec !== "SYMMETRIC_DEFAULT") throw new Error("There is no key")
  const secret = key.secret.export()

  expect((await readdir(folder)).sort()).toEqual(["keys.json", "master-key"])
  for (const name of await readdir(folder)) {
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
    const content = await readFile(join(folder, name))
    expect(content.includes(secret)).toBe(false)
    expect(content.includes(secret.toString("base64"))).toBe(false)
  }
})

test("forgets everything without a folder", async () => {
  await (await openKeyStore(null)).ensureKey("alias/a", "")

  expect((await openKeyStore(null)).find("alias/a")).toBeNull()
})

test.each([0o640, 0o604, 0o620, 0o602, 0o610, 0o601])(
  "refuses with master-key-unusable when the master key's mode is %o",
  async (mode) => {
    const folder = await temporaryFolder()
    await openKeyStore(folder)
    await chmod(join(folder, "master-key"), mode)

    await expect(openKeyStore(folder)).rejects.toMatchObject({ code: "master-key-unusable" })
  },
)

test.each([0, 31, 33])(
  "refuses with master-key-unusable when the master key has %i bytes",
  async (length) => {
    const folder = await temporaryFolder()
    await openKeyStore(folder)
    await truncate(join(folder, "master-key"), length)

    await expect(openKeyStore(folder)).rejects.toMatchObject({ code: "master-key-unusable" })
  },
)

test("refuses with master-key-unusable when the master key is missing though keys exist, and creates no other", async () => {
  const folder = await folderWithTwoKeys()
  await rm(join(folder, "master-key"))

  await expect(openKeyStore(folder)).rejects.toMatchObject({ code: "master-key-unusable" })
  expect(await readdir(folder)).toEqual(["keys.json"])
})

test("refuses with key-file-unusable when the master key is a different one", async () => {
  const folder = await folderWithTwoKeys()
  await writeFile(join(folder, "master-key"), new Uint8Array(32))

  await expect(openKeyStore(folder)).rejects.toMatchObject({ code: "key-file-unusable" })
})

test("refuses with key-file-unusable when two keys' secrets were swapped", async () => {
  const folder = await folderWithTwoKeys()
  const path = join(folder, "keys.json")
  const file = JSON.parse(await readFile(path, "utf8"))
  const [first, second] = file.keys
  const exchanged = [
    { ...first, wrappedSecret: second.wrappedSecret },
    { ...second, wrappedSecret: first.wrappedSecret },
  ]
  await writeFile(path, JSON.stringify({ ...file, keys: exchanged }))

  await expect(openKeyStore(folder)).rejects.toMatchObject({ code: "key-file-unusable" })
})

test.each(["", "{", "[]", '{"version": 2, "keys": [], "aliases": []}'])(
  "refuses with key-file-unusable when the key file holds %o",
  async (text) => {
    const folder = await folderWithTwoKeys()
    await writeFile(join(folder, "keys.json"), text)

    await expect(openKeyStore(folder)).rejects.toMatchObject({ code: "key-file-unusable" })
  },
)

async function folderWithTwoKeys(): Promise<string> {
  const folder = await temporaryFolder()
  const keys = await openKeyStore(folder)
  await keys.ensureKey("alias/1", "")
  await keys.ensureKey("alias/2", "")
  return folder
}

import { cp, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, test } from "vitest"
import { VERSION } from "../../version.ts"
import { openCommitFile } from "../dynamodb/store/commit-file.ts"
import { markTables, readTablesFolderId } from "../dynamodb/tables-file.ts"
import { folderIdOf } from "../kms/key-file.ts"
import { openKeyStore } from "../kms/open-key-store.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { admitDataFolder } from "./admit-data-folder.ts"
import { type Manifest, readManifest, writeManifest } from "./manifest.ts"

const NOW = new Date("2026-01-31T12:00:00.000Z")
const admit = (folder: string, acceptLoss = false) => admitDataFolder(folder, { acceptLoss, now: () => NOW })
const MISMATCH = { code: "data-folder-parts-mismatch" }
const LATER = { code: "data-folder-of-later-version" }

test("creates the parts of a new folder, each with the id of the manifest", async () => {
  const folder = await temporaryFolder()

  expect((await admit(folder)).lostTo).toBeNull()

  const manifest = await readManifest(folder)
  expect(manifest).toMatchObject({
    state: "complete",
    openedBy: VERSION,
    createdAt: NOW.toISOString(),
    lastCleanStopAt: null,
  })
  expect(await idsOf(folder)).toEqual([manifest?.id, manifest?.id])
})

test("keeps the id in the key file when a key is added", async () => {
  const folder = await admitted()
  await (await openKeyStore(join(folder, "kms"))).ensureKey("alias/a", "of the stage")

  await expect(admit(folder)).resolves.toMatchObject({ lostTo: null })
})

test("records a clean shutdown until the next start", async () => {
  const folder = await temporaryFolder()
  await (await admit(folder)).recordStop(false)
  expect((await readManifest(folder))?.lastCleanStopAt).toBe(NOW.toISOString())

  await admit(folder)

  expect((await readManifest(folder))?.lastCleanStopAt).toBeNull()
})

describe("continues with the same id after an interruption", () => {
  test.each([
    ["before anything was made", ["kms", "dynamodb"]],
    ["before the keys were made", ["kms"]],
    ["before the key file was written", ["kms/keys.json"]],
    ["before the manifest was completed", []],
  ])("of a first start, %s", async (_, notYetMade) => {
    const folder = await admitted()
    const { id } = await changeManifest(folder, { state: "creating" })
    for (const name of notYetMade) await rm(join(folder, name), { recursive: true })

    await admit(folder)

    expect(await readManifest(folder)).toMatchObject({ id, state: "complete" })
    expect(await idsOf(folder)).toEqual([id, id])
  })

  test.each([
    ["before a part was marked", false],
    ["before the keys were marked", true],
  ])("of the first start with an earlier version's folder, %s", async (_, areTablesMarked) => {
    const folder = await unmarked()
    const id = "11111111-1111-4111-8111-111111111111"
    const scratch = await admitted()
    await cp(join(scratch, "manifest.json"), join(folder, "manifest.json"))
    await changeManifest(folder, { id, state: "adopting" })
    if (areTablesMarked) await markTables(join(folder, "dynamodb"), id)

    await admit(folder)

    expect(await readManifest(folder)).toMatchObject({ id, state: "complete" })
    expect(await idsOf(folder)).toEqual([id, id])
  })
})

test("gives a folder of an earlier version an id, and does not change its keys", async () => {
  const folder = await unmarked()
  const key = (await openKeyStore(join(folder, "kms"))).find("alias/a")

  await admit(folder)

  const manifest = await readManifest(folder)
  expect(await idsOf(folder)).toEqual([manifest?.id, manifest?.id])
  expect((await openKeyStore(join(folder, "kms"))).find("alias/a")).toEqual(key)
})

test("rewrites a lost manifest, with the id that keys and tables agree on", async () => {
  const folder = await admitted()
  const before = await readManifest(folder)
  await rm(join(folder, "manifest.json"))

  await admit(folder)

  expect((await readManifest(folder))?.id).toBe(before?.id)
})

describe("refuses with data-folder-parts-mismatch, and changes nothing", () => {
  test.each(["kms", "kms/keys.json", "kms/master-key", "dynamodb", "dynamodb/tables.db"])(
    "when %s is missing",
    async (name) => {
      const folder = await admitted()
      await rm(join(folder, name), { recursive: true })
      const before = await contentOf(folder)

      await expect(admit(folder)).rejects.toMatchObject(MISMATCH)
      await expect(admit(folder)).rejects.toThrow(/is missing.*Restore.*--accept-loss/s)

      expect(await contentOf(folder)).toEqual(before)
    },
  )

  test("when the database is empty", async () => {
    const folder = await admitted()
    await truncate(join(folder, "dynamodb", "tables.db"), 0)

    await expect(admit(folder)).rejects.toMatchObject(MISMATCH)
  })

  test.each(["kms", "dynamodb"])("when %s belongs to another folder", async (name) => {
    const [folder, other] = [await admitted(), await admitted()]
    await rm(join(folder, name), { recursive: true })
    await rename(join(other, name), join(folder, name))

    await expect(admit(folder)).rejects.toThrow(`${name}/`)
    await expect(admit(folder)).rejects.toMatchObject(MISMATCH)
  })

  test("when a folder of an earlier version lost its keys", async () => {
    const folder = await unmarked()
    await rm(join(folder, "kms"), { recursive: true })

    await expect(admit(folder)).rejects.toMatchObject(MISMATCH)
    expect(await readManifest(folder)).toBeNull()
  })

  test.each(["", "{", "[]", '{"version": 1}', '{"version": "2"}'])(
    "when the manifest holds %o",
    async (text) => {
      const folder = await admitted()
      await writeFile(join(folder, "manifest.json"), text)

      await expect(admit(folder)).rejects.toMatchObject(MISMATCH)
    },
  )
})

describe("refuses with data-folder-of-later-version, and changes nothing,", () => {
  test.each([
    ["a later release", { openedBy: "99.0.0" }, "Sealway 99.0.0"],
    [
      "a later release with a manifest of its own",
      { version: 7, openedBy: "99.0.0", more: [] },
      "Sealway 99.0.0",
    ],
    ["who does not tell its version", { version: 2 }, "a later version of Sealway"],
    [
      "who tells a version that is none",
      { version: 2, openedBy: "<b>9.0.0</b>" },
      "a later version of Sealway",
    ],
  ])("when the folder was used by %s", async (_, change, writer) => {
    const folder = await admitted()
    const manifest = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8"))
    await writeFile(join(folder, "manifest.json"), JSON.stringify({ ...manifest, ...change }))
    const before = await contentOf(folder)

    for (const acceptLoss of [false, true]) {
      await expect(admit(folder, acceptLoss)).rejects.toMatchObject(LATER)
      await expect(admit(folder, acceptLoss)).rejects.toThrow(`was used by ${writer}, according to`)
      await expect(admit(folder, acceptLoss)).rejects.toThrow(/Nothing was changed\. .*restore a backup/)
    }

    expect(await contentOf(folder)).toEqual(before)
  })

  test("when its key file has a later layout and the manifest is missing", async () => {
    const folder = await admitted()
    const keys = JSON.parse(await readFile(join(folder, "kms", "keys.json"), "utf8"))
    await writeFile(join(folder, "kms", "keys.json"), JSON.stringify({ ...keys, version: 3, more: [] }))
    await rm(join(folder, "manifest.json"))

    await expect(admit(folder)).rejects.toMatchObject(LATER)
    expect(await readManifest(folder)).toBeNull()
  })

  test("when its tables have a later layout and the manifest is missing", async () => {
    const folder = await admitted()
    const database = new DatabaseSync(join(folder, "dynamodb", "tables.db"))
    database.exec("PRAGMA user_version = 3")
    database.close()
    await rm(join(folder, "manifest.json"))

    await expect(admit(folder)).rejects.toMatchObject(LATER)
    expect(await readManifest(folder)).toBeNull()
  })
})

test.each([
  ["an earlier release", { openedBy: "0.0.9" }],
  ["one that did not tell its version", { openedBy: undefined }],
  ["one that was killed", { openedBy: "0.0.9", lastCleanStopAt: null }],
])("records its own version first in a folder that was used by %s", async (_, change) => {
  const folder = await admitted()
  const manifest = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8"))
  await writeFile(join(folder, "manifest.json"), JSON.stringify({ ...manifest, ...change }))

  await admit(folder)

  expect((await readManifest(folder))?.openedBy).toBe(VERSION)
})

test("starts over when the loss is accepted, and keeps what was left", async () => {
  const folder = await admitted()
  const before = await readManifest(folder)
  const keys = await readFile(join(folder, "kms", "keys.json"))
  await writeFile(join(folder, "credentials.json"), "{}")
  await rm(join(folder, "dynamodb"), { recursive: true })

  const { lostTo } = await admit(folder, true)

  expect(lostTo).toBe(join(folder, "lost-20260131T120000000Z"))
  expect((await readdir(lostTo ?? "")).toSorted()).toEqual(["credentials.json", "kms", "manifest.json"])
  expect(await readFile(join(lostTo ?? "", "kms", "keys.json"))).toEqual(keys)
  expect((await readManifest(folder))?.id).not.toBe(before?.id)
  expect((await readdir(folder)).toSorted()).toContain("kms")
})

describe("a folder whose tables lack answered commits", () => {
  const tables = (folder: string) => join(folder, "dynamodb", "tables.db")
  const lost = async () => {
    const folder = await admitted()
    const record = { commits: 5, isWritingBack: false }
    const file = openCommitFile(tables(folder), record, () => undefined)
    file.noteDurably(record)
    file.close()
    return folder
  }
  const INCOMPLETE = { code: "tables-incomplete" }

  test("is refused, with the smallest remedy first, and not changed", async () => {
    const folder = await lost()
    const before = await contentOf(folder)

    await expect(admit(folder)).rejects.toMatchObject(INCOMPLETE)
    await expect(admit(folder)).rejects.toThrow(
      /5 commits were answered, and 0 .*Nothing was changed\..*put it back\..*restore .*--accept-loss/s,
    )

    expect(await contentOf(folder)).toEqual(before)
  })

  test("goes on with what is there when the loss is accepted, and is whole from then on", async () => {
    const folder = await lost()
    const before = await readManifest(folder)

    expect(await admit(folder, true)).toMatchObject({ lostTo: null, lostCommits: { held: 0, answered: 5 } })

    expect(await admit(folder)).toMatchObject({ lostTo: null, lostCommits: null })
    expect((await readManifest(folder))?.id).toBe(before?.id)
  })
})

test("does not touch a consistent folder when the loss is accepted", async () => {
  const folder = await admitted()
  const before = await contentOf(folder)

  expect((await admit(folder, true)).lostTo).toBeNull()

  expect(await contentOf(folder)).toEqual(before)
})

async function admitted(): Promise<string> {
  const folder = await temporaryFolder()
  await admit(folder)
  return folder
}

/** Creates a folder as an earlier version left it: no part carries an id. */
async function unmarked(): Promise<string> {
  const folder = await temporaryFolder()
  const keys = await openKeyStore(join(folder, "kms"))
  await keys.ensureKey("alias/a", "")
  const scratch = await admitted()
  await mkdir(join(folder, "dynamodb"))
  await cp(join(scratch, "dynamodb", "tables.db"), join(folder, "dynamodb", "tables.db"))
  unmarkTables(join(folder, "dynamodb", "tables.db"))
  return folder
}

function unmarkTables(path: string): void {
  const database = new DatabaseSync(path)
  database.exec("DROP TABLE meta")
  database.close()
}

async function changeManifest(folder: string, change: Partial<Manifest>): Promise<Manifest> {
  const manifest = await readManifest(folder)
  if (manifest === null) throw new Error("There is no manifest")
  const changed = { ...manifest, ...change }
  await writeManifest(folder, changed)
  return changed
}

async function idsOf(folder: string): Promise<(string | null)[]> {
  const keys = folderIdOf(await readFile(join(folder, "kms", "keys.json"), "utf8"))
  return [keys, await readTablesFolderId(join(folder, "dynamodb"))]
}

async function contentOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name))
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file, (await readFile(file)).toString("base64")])),
  )
}

import { hkdfSync } from "node:crypto"
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { lockDataFolder } from "../cloud/data-folder.ts"
import { openDatabase, type Tables } from "../cloud/dynamodb/open-tables.ts"
import { openCommitFile } from "../cloud/dynamodb/store/commit-file.ts"
import { createDatabaseTable } from "../cloud/dynamodb/table/database-table.ts"
import { DEFINITION } from "../cloud/dynamodb/testing/tables-file.ts"
import { openKeyStore } from "../cloud/kms/open-key-store.ts"
import { admitDataFolder } from "../cloud/parts/admit-data-folder.ts"
import { temporaryFolder } from "../cloud/testing/temporary-folder.ts"
import { watchUnsynced } from "../cloud/testing/watch-unsynced.ts"
import { backupDataFolder } from "./backup-data-folder.ts"
import { checkDataFolder, type DataFolderCheck } from "./check-data-folder.ts"
import { restoreDataFolder } from "./restore-data-folder.ts"
import type { DeriveKey } from "./sealed-stream.ts"

const PASSPHRASE = "correct horse battery staple"
const UNUSABLE = { code: "backup-unusable" }
const check = (folder: string) => checkDataFolder(folder, () => undefined)
/** Takes no time, where scrypt is meant to take half a second. */
const deriveKey: DeriveKey = async (passphrase, salt) =>
  Buffer.from(hkdfSync("sha256", passphrase, salt, "", 32))
const signal = new AbortController().signal

test("reports an intact folder as intact, and does not change its files", async () => {
  const folder = await filledFolder()
  const before = await readFile(join(folder, "dynamodb", "tables.db"))

  const found = await check(folder)

  expect(found).toMatchObject({ ok: true, tables: [{ name: "config", rows: 3, damagedRows: 0 }] })
  expect(found.findings.map(({ part, ok }) => `${part} ${ok}`)).toEqual([
    "manifest true",
    "keys true",
    "tables true",
    "folder true",
  ])
  expect(await readFile(join(folder, "dynamodb", "tables.db"))).toEqual(before)
})

test.each([
  ["manifest", (folder: string) => rm(join(folder, "manifest.json"))],
  ["keys", (folder: string) => rm(join(folder, "kms"), { recursive: true })],
  ["keys", (folder: string) => rm(join(folder, "kms", "master-key"))],
  ["keys", (folder: string) => writeFile(join(folder, "kms", "master-key"), new Uint8Array(32))],
  ["tables", (folder: string) => rm(join(folder, "dynamodb"), { recursive: true })],
  ["tables", (folder: string) => writeFile(join(folder, "dynamodb", "tables.db"), "no database")],
  ["tables", async (folder: string) => changeRow(folder)],
  ["folder", async (folder: string) => changeTablesId(folder)],
])("reports what is wrong with the %s", async (part, damage) => {
  const folder = await filledFolder()
  await damage(folder)

  const found = await check(folder)

  expect(found.ok).toBe(false)
  expect(found.findings.filter(({ ok }) => !ok).map((finding) => finding.part)).toEqual([part])
})

test("neither calls tables whole that lack answered commits, nor backs them up", async () => {
  const folder = await filledFolder()
  const record = { commits: 500, isWritingBack: false }
  const file = openCommitFile(join(folder, "dynamodb", "tables.db"), record, () => undefined)
  file.noteDurably(record)
  file.close()

  const { findings } = await check(folder)
  const detail = expect.stringContaining("500 commits were answered")
  expect(findings).toContainEqual({ part: "tables", ok: false, detail })
  await expect(backUp(folder)).rejects.toMatchObject({ code: "tables-incomplete" })
})

test("refuses to back up rows that do not match their checksums with tables-damaged, and writes no file", async () => {
  const folder = await filledFolder()
  changeRow(folder)

  await expect(backUp(folder)).rejects.toMatchObject({ code: "tables-damaged" })

  expect(await readdir(folder)).not.toContainEqual(expect.stringMatching(/backup/))
})

test("removes what a killed backup and a killed restore left, and nothing else", async () => {
  const [folder, parent] = [await filledFolder(), await temporaryFolder()]
  const file = join(parent, "backup")
  const left = [join(folder, "backup-abc123"), join(parent, ".sealway-backup-abc123")]
  const [restoring, other] = [
    join(parent, ".restored-restoring-abc123"),
    join(parent, ".other-restoring-abc123"),
  ]
  for (const path of [...left, restoring, other]) {
    await mkdir(path)
    await writeFile(join(path, "lock"), "")
  }

  await backUp(folder, file)
  await restore(file, join(parent, "restored"))

  for (const path of [...left, restoring]) await expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" })
  expect((await readdir(parent)).sort()).toEqual([".other-restoring-abc123", "backup", "restored"])
})

test("refuses to check a missing folder with data-folder-unusable, and does not create it", async () => {
  const folder = join(await temporaryFolder(), "none")

  await expect(check(folder)).rejects.toMatchObject({ code: "data-folder-unusable" })
  await expect(stat(folder)).rejects.toMatchObject({ code: "ENOENT" })
})

test("refuses to check a folder that is in use with data-folder-in-use", async () => {
  const folder = await filledFolder()
  const held = await lockDataFolder(folder)
  onTestFinished(held.release)

  await expect(check(folder)).rejects.toMatchObject({ code: "data-folder-in-use" })
})

test("restores a backup, including functions' code and its permissions, and a power cut undoes neither", async () => {
  const [folder, parent] = [await filledFolder(), await temporaryFolder()]
  const target = join(parent, "restored")
  const unsynced = watchUnsynced(parent)
  const file = await backUp(folder, join(parent, "backup"))
  // The next backup removes its draft, if it is still there.
  const draft = expect.stringMatching(/\.sealway-backup-\w{6} disappeared$/)
  if (process.platform !== "win32") expect(unsynced.take()).toEqual([draft])

  const restored = await restore(file, target)

  if (process.platform !== "win32") expect(unsynced.take()).toEqual([])
  expect(restored).toMatchObject({ ok: true, folder: target, tables: [{ name: "config", rows: 3 }] })
  for (const name of ["manifest.json", "credentials.json", "kms/keys.json", "kms/master-key", "s3/0a"]) {
    expect(await readFile(join(target, name))).toEqual(await readFile(join(folder, name)))
    expect((await stat(join(target, name))).mode & 0o777).toBe(0o600)
  }
  expect((await stat(join(target, "lambda", "hello.0a", "code", "run"))).mode & 0o777).toBe(0o700)
  expect((await stat(target)).mode & 0o777).toBe(0o700)
  await expect(admit(target)).resolves.toMatchObject({ lostTo: null })
})

test("backs up a folder that is in use, consistently, and leaves nothing behind", async () => {
  const folder = await filledFolder()
  const held = await lockDataFolder(folder)
  onTestFinished(held.release)
  const opened = await openTables(folder)
  await put(opened, "newest")

  const file = await backUp(folder)
  await put(opened, "after")
  await opened.close()

  const { tables } = await restore(file, join(await temporaryFolder(), "restored"))
  expect(tables).toMatchObject([{ rows: 4 }])
  expect((await readdir(folder)).filter((name) => name.startsWith("backup-"))).toEqual([])
})

describe("a backup since another one", () => {
  let parent: string
  let chain: [string, string, string]
  afterAll(() => rm(parent, { recursive: true }))
  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), "sealway-test-"))
    const folder = join(parent, "data")
    await fill(folder)
    const change = async (rows: readonly string[]) => {
      const opened = await openTables(folder)
      for (const sk of rows) await put(opened, sk, "x".repeat(2_000))
      await opened.close()
    }
    await change(Array.from({ length: 300 }, (_, index) => `before-${index}`))
    const first = await backUp(folder, join(parent, "1"))
    await change(["tuesday"])
    await writeFile(join(folder, "s3", "0b"), "a new zip")
    const second = await backUp(folder, join(parent, "2"), first)
    await change(["wednesday"])
    execute(folder, "DELETE FROM items WHERE CAST(sort AS TEXT) LIKE 'before-%'; VACUUM")
    await rm(join(folder, "s3", "0a"))
    chain = [first, second, await backUp(folder, join(parent, "3"), second)]
  })
  const target = async () => join(await temporaryFolder(), "restored")
  const rowsOf = ({ tables }: DataFolderCheck) => tables[0]?.rows

  test("is small, and leads to the folder as it was then, with those before it", async () => {
    const [whole, increment] = await Promise.all(chain.map(async (file) => (await stat(file)).size))
    expect(increment).toBeLessThan((whole ?? 0) / 5)

    const tuesday = await target()
    expect(rowsOf(await restore(chain.slice(0, 2), tuesday))).toBe(304)
    expect((await readdir(join(tuesday, "s3"))).toSorted()).toEqual(["0a", "0b"])

    const wednesday = await target()
    expect(rowsOf(await restore(chain, wednesday))).toBe(5)
    expect(await readdir(join(wednesday, "s3"))).toEqual(["0b"])
    expect(await readFile(join(wednesday, "s3", "0b"), "utf8")).toBe("a new zip")
    await expect(admit(wednesday)).resolves.toMatchObject({ lostTo: null })
    expect((await readdir(wednesday)).toSorted()).not.toContain("increment")
  })

  test.each<[string, (files: [string, string, string]) => string[], RegExp]>([
    ["alone", ([, second]) => [second], /Name the first backup/],
    ["without the one before it", ([first, , third]) => [first, third], /Name the first backup/],
    ["twice", ([first, second]) => [first, second, second], /Name the first backup/],
    ["in another order", ([first, second, third]) => [first, third, second], /Name the first backup/],
    ["with a whole one behind it", ([first, second]) => [first, second, first], /Restore it alone/],
  ])("is not restored %s, and nothing is left", async (_, choose, reason) => {
    const folder = await target()
    const refusal = { ...UNUSABLE, message: expect.stringMatching(reason) }
    await expect(restore(choose(chain), folder)).rejects.toMatchObject(refusal)
    expect(await readdir(dirname(folder))).toEqual([])
  })

  test("is not made since one that cannot be restored", async () => {
    const [first] = chain
    const cut = `${first}.cut`
    await writeFile(cut, (await readFile(first)).subarray(0, -100))
    const file = join(await temporaryFolder(), "backup")

    await expect(backUp(join(parent, "data"), file, cut)).rejects.toMatchObject(UNUSABLE)

    await expect(stat(file)).rejects.toMatchObject({ code: "ENOENT" })
  })
})

test("writes no content of the folder in plain text", async () => {
  const folder = await filledFolder()
  const backup = await readFile(await backUp(folder))

  expect(backup.includes(await readFile(join(folder, "kms", "master-key")))).toBe(false)
  expect(backup.includes("keys.json")).toBe(false)
  expect(backup.includes("SQLite")).toBe(false)
})

test("refuses to overwrite a file with backup-unusable, and does not change it", async () => {
  const folder = await filledFolder()
  const file = join(await temporaryFolder(), "taken")
  await writeFile(file, "kept")

  await expect(backUp(folder, file)).rejects.toMatchObject(UNUSABLE)
  expect(await readFile(file, "utf8")).toBe("kept")
})

test("refuses to back up something other than a data folder with backup-unusable", async () => {
  await expect(backUp(await temporaryFolder())).rejects.toMatchObject(UNUSABLE)
})

test("refuses to restore into a folder that is not empty with backup-unusable, and does not change it", async () => {
  const [folder, target] = [await filledFolder(), await temporaryFolder()]
  const file = await backUp(folder)
  await writeFile(join(target, "notes.txt"), "")

  await expect(restore(file, target)).rejects.toMatchObject(UNUSABLE)
  expect(await readdir(target)).toEqual(["notes.txt"])
})

test("leaves nothing behind when a backup with damaged content is restored", async () => {
  const [folder, parent] = [await filledFolder(), await temporaryFolder()]
  await writeFile(join(folder, "kms", "keys.json"), "damaged")
  const file = await backUp(folder)

  await expect(restore(file, join(parent, "restored"))).rejects.toMatchObject(UNUSABLE)
  expect(await readdir(parent)).toEqual([])
})

test("leaves nothing behind when the passphrase is wrong", async () => {
  const [folder, parent] = [await filledFolder(), await temporaryFolder()]
  const file = await backUp(folder)

  await expect(restore(file, join(parent, "restored"), "another")).rejects.toMatchObject(UNUSABLE)
  expect(await readdir(parent)).toEqual([])
})

/** Creates a folder with a key, three rows, credentials and a function. */
async function filledFolder(): Promise<string> {
  const folder = await temporaryFolder()
  await fill(folder)
  return folder
}

async function fill(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await admit(folder)
  await (await openKeyStore(join(folder, "kms"))).ensureKey("alias/a", "of the stage")
  const tables = await openTables(folder)
  for (const sk of ["1", "2", "3"]) await put(tables, sk)
  await tables.close()
  await writeFile(join(folder, "credentials.json"), "{}", { mode: 0o600 })
  const code = join(folder, "lambda", "hello.0a", "code")
  await mkdir(code, { recursive: true })
  await writeFile(join(code, "run"), "#!", { mode: 0o700 })
  await mkdir(join(folder, "s3"))
  await writeFile(join(folder, "s3", "0a"), "a zip", { mode: 0o600 })
}

function admit(folder: string) {
  return admitDataFolder(folder, { acceptLoss: false, now: () => new Date(0) })
}

function openTables(folder: string): Promise<Tables> {
  return openDatabase(join(folder, "dynamodb", "tables.db"), [DEFINITION], () => undefined)
}

function put(tables: Tables, sk: string, text = ""): Promise<void> {
  return createDatabaseTable(tables, DEFINITION.name, Date.now).put({ pk: "a", sk }, { text })
}

async function backUp(folder: string, at?: string, since: string | null = null): Promise<string> {
  const file = at ?? join(await temporaryFolder(), "backup")
  const onProgress = () => undefined
  await backupDataFolder({ folder, file, since, passphrase: PASSPHRASE, deriveKey, onProgress, signal })
  return file
}

function restore(files: string | readonly string[], folder: string, passphrase = PASSPHRASE) {
  return restoreDataFolder({
    files: typeof files === "string" ? [files] : files,
    folder,
    passphrase,
    deriveKey,
    erasuresOf: null,
    onProgress: () => undefined,
    signal,
  })
}

function changeRow(folder: string): void {
  execute(folder, "UPDATE items SET size = size + 1")
}

function changeTablesId(folder: string): void {
  execute(folder, "UPDATE meta SET value = '00000000-0000-4000-8000-000000000000'")
}

function execute(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, "dynamodb", "tables.db"))
  database.exec(sql)
  database.close()
}

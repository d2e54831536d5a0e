import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { copyFile, cp, mkdir, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { promisify } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { openForWriting } from "./store/open-database.ts"
import { databasePath, openTable } from "./testing/tables-file.ts"

const run = promisify(execFile)

test("keeps every write that was answered before the process was killed", async () => {
  const path = await databasePath()
  const { child, answered } = startWriting(path)
  await until(() => answered().length > 500)
  child.kill("SIGKILL")
  await once(child, "close")

  await expectAll(path, answered())
})

test("waits for the disk on every commit", async () => {
  const database = openForWriting(await databasePath())
  onTestFinished(() => database.close())

  const pragma = (name: string) => Object.values(database.connection.prepare(`PRAGMA ${name}`).get() ?? {})[0]
  expect(pragma("journal_mode")).toBe("wal")
  // 2 is FULL: the log is synced after each transaction. https://www.sqlite.org/pragma.html#pragma_synchronous
  expect(pragma("synchronous")).toBe(2)
  expect(pragma("fullfsync")).toBe(1)
  expect(pragma("checkpoint_fullfsync")).toBe(1)
})

test("empties the log after a while without writes", async () => {
  const path = await databasePath()
  const { put, get } = await openTable(path)
  await put("a", "kept")

  await until(async () => (await stat(`${path}-wal`)).size === 0)
  const copy = `${path}.copy`
  for (const file of ["", "-commits"]) await copyFile(path + file, copy + file)

  expect(await (await openTable(copy)).get("a")).toBe("kept")
  expect(await get("a")).toBe("kept")
})

// A copy of a mounted file system's blocks is what a power cut leaves: only what was written through.
test.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)(
  "keeps every write that was answered before the power was cut (root only: mounts a file system)",
  async ({ skip }) => {
    const folder = await temporaryFolder()
    const image = join(folder, "image")
    const mounted = join(folder, "mounted")
    await mkdir(mounted)
    await writeFile(image, "")
    await run("truncate", ["--size", "64M", image])
    try {
      await run("mkfs.ext4", ["-q", image])
      await run("mount", ["-o", "loop", image, mounted])
    } catch {
      skip("No file system can be mounted here.")
    }
    onTestFinished(() => unmount(mounted))
    const path = join(mounted, "tables.db")
    await writeFile(path, "")
    const { child, answered } = startWriting(path)

    for (let cut = 0; cut < 4; cut++) {
      const before = answered().length
      await until(() => answered().length > before + 400)
      child.kill("SIGSTOP")
      const lasting = [...answered()]
      await run("cp", ["--sparse=always", image, `${image}-${cut}`])
      child.kill("SIGCONT")
      await expectAll(await filesOf(`${image}-${cut}`, folder), lasting)
    }
    child.kill("SIGKILL")
    await once(child, "close")
  },
  60_000,
)

/** Returns the files that can be read once the power is back. */
async function filesOf(image: string, folder: string): Promise<string> {
  const [mounted, files] = [join(folder, "again"), `${image}-files`]
  await mkdir(mounted, { recursive: true })
  await run("mount", ["-o", "loop", image, mounted])
  await cp(mounted, files, { recursive: true, filter: (source) => !source.endsWith("lost+found") }).finally(
    () => unmount(mounted),
  )
  return join(files, "tables.db")
}

async function unmount(path: string): Promise<void> {
  for (let attempts = 0; attempts < 50; attempts++) {
    const isDone = await run("umount", [path]).then(
      () => true,
      ({ stderr }) => /not mounted/.test(stderr),
    )
    if (isDone) return
    await delay(100)
  }
}

async function expectAll(path: string, answered: readonly string[]): Promise<void> {
  const { get, close } = await openTable(path)
  const found = await Promise.all(answered.map(get))
  expect(answered.filter((sk, index) => found[index] !== sk)).toEqual([])
  await close()
}

function startWriting(path: string): { readonly child: ChildProcess; answered(): readonly string[] } {
  const script = join(import.meta.dirname, "testing", "write-until-killed.ts")
  const child = spawn(process.execPath, [script, path], { stdio: ["ignore", "pipe", "inherit"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  let output = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text
  })
  // The text after the last line end may be half a line.
  return { child, answered: () => output.split("\n").slice(0, -1) }
}

async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isDone())) await delay(5)
}

import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { createDraftFolder, removeDeadDrafts } from "./draft-folder.ts"
import { temporaryFolder } from "./testing/temporary-folder.ts"

test("removes what a killed process left, but not what a running one is filling", async () => {
  const parent = await temporaryFolder()
  const killed = await draftOfAnotherProcess(parent)
  const living = await createDraftFolder(parent, "draft-")
  onTestFinished(() => living.remove())
  await removeDeadDrafts(parent, "draft-")
  expect((await readdir(parent)).length).toBe(2)

  killed.child.kill("SIGKILL")
  await once(killed.child, "exit")
  await removeDeadDrafts(parent, "draft-")

  expect((await readdir(parent)).map((name) => join(parent, name))).toEqual([living.path])
})

test("does not touch what may be somebody else's: other names, links, files, and folders without a lock", async () => {
  const [parent, elsewhere] = [await temporaryFolder(), await temporaryFolder()]
  const names = ["draft-", "draft-abc", "draft-abcdefg", "draft-2026-1", "draft-abcde.", "other-abcdef"]
  for (const name of names) await lockable(join(parent, name))
  await mkdir(join(parent, "draft-nolock"))
  await writeFile(join(parent, "draft-a-file"), "")
  await writeFile(join(parent, "draft-file00"), "")
  await lockable(join(elsewhere, "target"))
  await symlink(join(elsewhere, "target"), join(parent, "draft-link00"))
  const before = await readdir(parent)

  await removeDeadDrafts(parent, "draft-")

  expect(await readdir(parent)).toEqual(before)
  expect(await readdir(join(elsewhere, "target"))).toEqual(["lock"])
})

test("does nothing when there is no folder", async () => {
  await removeDeadDrafts(join(await temporaryFolder(), "none"), "draft-")
})

async function lockable(path: string): Promise<void> {
  await mkdir(path)
  await writeFile(join(path, "lock"), "")
}

async function draftOfAnotherProcess(parent: string) {
  const module = JSON.stringify(new URL("./draft-folder.ts", import.meta.url).href)
  const source = `import { createDraftFolder } from ${module}
    const { path } = await createDraftFolder(${JSON.stringify(parent)}, "draft-")
    console.log(path)
    setInterval(() => path, 1000)`
  const child = spawn(process.execPath, ["--input-type=module", "--eval", source], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  await once(child.stdout, "data")
  return { child }
}

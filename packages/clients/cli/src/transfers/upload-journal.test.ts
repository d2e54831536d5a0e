import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { UsageFailure } from "../terminal/failures.ts"
import { resumeJournal, startJournal } from "./upload-journal.ts"

const userId = process.getuid?.() ?? null
const HEAD = { fileId: "file_1", header: "aGVhZA==", key: "a2V5", size: 1, modifiedAtMs: 2 }
const [ONE, OTHER] = ["1".repeat(64), "2".repeat(64)]

async function started() {
  const folder = await mkdtemp(join(tmpdir(), "sealway-journal-"))
  const path = join(folder, "a.sealway-upload")
  const journal = await startJournal(path, async () => HEAD)
  onTestFinished(async () => {
    await journal.close()
    await rm(folder, { recursive: true, force: true })
  })
  const resumed = async () => {
    const again = await resumeJournal(path, userId)
    onTestFinished(() => again.close())
    return again
  }
  return { folder, path, journal, resumed }
}

test("lets a part have one content only, also after a crash within a line", async () => {
  const { path, journal, resumed } = await started()
  await journal.note(1, ONE)
  await journal.note(1, ONE)
  await writeFile(path, `\n2 ${OTHER.slice(0, 10)}`, { flag: "a" })
  const again = await resumed()
  expect(again).toMatchObject(HEAD)
  await again.note(2, ONE)
  await expect(again.note(1, OTHER)).rejects.toThrow("has changed")
  await expect((await resumed()).note(2, OTHER)).rejects.toThrow("has changed")
})

test("lets a part have one content only when two processes upload the file at the same time", async () => {
  const { journal, resumed } = await started()
  const again = await resumed()
  for (let number = 1; number <= 20; number++) {
    const noted = await Promise.allSettled([journal.note(number, ONE), again.note(number, OTHER)])
    expect(noted.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
  }
})

test("is not left behind when the upload cannot be announced", async () => {
  const { folder } = await started()
  const refused = startJournal(join(folder, "b.sealway-upload"), () => Promise.reject(new Error("Refused")))
  await expect(refused).rejects.toThrow("Refused")
  expect(await readdir(folder)).toEqual(["a.sealway-upload"])
})

test("announces nothing when there is a journal already", async () => {
  const { path } = await started()
  const second = startJournal(path, () => Promise.reject(new Error("It was announced")))
  await expect(second).rejects.toThrow("Resume it")
  expect(await readFile(path, "utf8")).toContain(HEAD.fileId)
})

test.each(["", "{", JSON.stringify(HEAD)])(
  "is replaced when its process died before anything was sent: %j",
  async (text) => {
    const { folder } = await started()
    const path = join(folder, "b.sealway-upload")
    await writeFile(path, text)
    const journal = await startJournal(path, async () => HEAD)
    onTestFinished(() => journal.close())
    expect(await readFile(path, "utf8")).toBe(`${JSON.stringify(HEAD)}\n`)
  },
)

test.each(["", "{", "{}\n", JSON.stringify(HEAD)])("is refused when it is damaged: %j", async (text) => {
  const { path } = await started()
  await writeFile(path, text)
  await expect(resumeJournal(path, userId)).rejects.toThrow(UsageFailure)
})

test.skipIf(userId === null)("is refused when it is a link, or another user's", async () => {
  const { folder, path } = await started()
  const link = join(folder, "b.sealway-upload")
  await symlink(path, link)
  await expect(resumeJournal(link, userId)).rejects.toThrow("is a link")
  await expect(resumeJournal(path, (userId ?? 0) + 1)).rejects.toThrow("belongs to another user")
})

test("knows the parts that processes with this journal have sent, and no others", async () => {
  const { journal, resumed } = await started()
  const again = await resumed()
  await journal.noteSent(1, "abc")
  expect(await again.hasSent(1, "abc")).toBe(true)
  expect([await again.hasSent(1, "abd"), await again.hasSent(2, "abc")]).toEqual([false, false])
})

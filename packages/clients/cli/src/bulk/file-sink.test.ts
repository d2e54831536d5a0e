import { execFileSync } from "node:child_process"
import { link, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { UsageFailure } from "../terminal/failures.ts"
import { type FileSinkOptions, openFileSink } from "./file-sink.ts"
import { startOfTable } from "./journal.ts"

const userId = process.getuid?.() ?? null
const progress = { ...startOfTable(1), rows: 2, failedRows: 1, position: 8, outputBytes: 4, failureBytes: 7 }

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sealway-sink-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

const open = (folder: string, options: Partial<FileSinkOptions> = {}) =>
  openFileSink({
    name: "out.csv",
    path: join(folder, "out.csv"),
    command: "c",
    names: 1,
    restarts: false,
    userId,
    ...options,
  })

/** Creates a folder in which a run ended after a checkpoint. */
async function interrupted(): Promise<string> {
  const folder = await makeFolder()
  const sink = await open(folder)
  await sink.write(Buffer.from("rows"), "failure")
  await sink.checkpoint(progress, "input")
  await sink.write(Buffer.from("lost"), "lost")
  await sink.close(true)
  return folder
}

const FILES = ["out.csv.journal", "out.csv.part", "out.failed.csv"] as const

test("resumes where the journal says, and ends with only the output and its failures", async () => {
  const folder = await interrupted()
  const sink = await open(folder)
  expect(sink.start).toEqual(progress)
  expect(sink.expectedInput).toBe("input")
  await sink.write(Buffer.from(" and more"), "")
  await sink.finish()
  await sink.close(true)
  expect((await readdir(folder)).toSorted()).toEqual(["out.csv", "out.failed.csv"])
  expect(await readFile(join(folder, "out.csv"), "utf8")).toBe("rows and more")
  expect(await readFile(join(folder, "out.failed.csv"), "utf8")).toBe("failure")
})

describe.skipIf(process.platform === "win32")("an interrupted run is not resumed", () => {
  test.each(FILES)("where %s is a link, whose target does not change", async (file) => {
    for (const makeLink of [symlink, link]) {
      const folder = await interrupted()
      const elsewhere = join(folder, "elsewhere")
      await rename(join(folder, file), elsewhere)
      const before = await readFile(elsewhere)
      await makeLink(elsewhere, join(folder, file))
      await expect(open(folder)).rejects.toThrow(`${file} is a link, or belongs to another user`)
      expect(await readFile(elsewhere)).toEqual(before)
    }
  })

  test.each(FILES)("where %s is a pipe, which is not waited for", async (file) => {
    const folder = await interrupted()
    await rm(join(folder, file))
    execFileSync("mkfifo", [join(folder, file)])
    await expect(open(folder)).rejects.toThrow(UsageFailure)
  })

  test("where another user created its files", async () => {
    const folder = await interrupted()
    await expect(open(folder, { userId: (userId ?? 0) + 1 })).rejects.toThrow("belongs to another user")
  })
})

test.each(["out.csv.part", "out.failed.csv"])(
  "does not resume an interrupted run where %s is shorter than its journal says",
  async (file) => {
    const folder = await interrupted()
    await writeFile(join(folder, file), "ab")
    await expect(open(folder)).rejects.toThrow(`${file} is shorter`)
    expect(await readFile(join(folder, file), "utf8")).toBe("ab")
  },
)

test("stops the first of two runs that write the same output, without touching the second one's files", async () => {
  const folder = await makeFolder()
  const first = await open(folder)
  await first.write(Buffer.from("first"), "")
  await first.checkpoint(progress, "input")
  const second = await open(folder, { restarts: true })
  await second.write(Buffer.from("second"), "failure")
  await second.checkpoint(progress, "other input")
  await expect(first.write(Buffer.from(""), "failure of the first")).rejects.toThrow("Another process")
  await expect(first.checkpoint(progress, "input")).rejects.toThrow("Another process")
  await expect(first.finish()).rejects.toThrow("Another process")
  await first.close(false)
  expect(await readFile(join(folder, "out.csv.journal"), "utf8")).toContain("other input")
  await second.finish()
  await second.close(true)
  expect((await readdir(folder)).toSorted()).toEqual(["out.csv", "out.failed.csv"])
  expect(await readFile(join(folder, "out.csv"), "utf8")).toBe("second")
  expect(await readFile(join(folder, "out.failed.csv"), "utf8")).toBe("failure")
  expect((await stat(join(folder, "out.csv"))).mode & 0o777).toBe(0o600)
})

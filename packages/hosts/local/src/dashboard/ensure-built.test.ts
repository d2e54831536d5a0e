import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { ensureBuilt } from "./ensure-built.ts"

const SIGNAL = new AbortController().signal

async function setUp() {
  const folder = await mkdtemp(join(tmpdir(), "sealway-dashboard-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  const builds: string[] = []
  const build = async (draft: string) => {
    builds.push(draft)
    await mkdir(join(draft, "assets"), { recursive: true })
    await writeFile(join(draft, "index.html"), "<!doctype html>")
    await writeFile(join(draft, "assets", "index.js"), "export {}")
  }
  return { folder, builds, ensure: () => ensureBuilt(folder, SIGNAL, build) }
}

test("a dashboard is built once for each version, and those of other versions are removed", async () => {
  const { folder, builds, ensure } = await setUp()
  await mkdir(join(folder, "0123456789abcdef"))
  const place = await ensure()
  expect(await ensure()).toBe(place)
  expect(builds).toHaveLength(1)
  expect((await readdir(folder)).map((name) => join(folder, name))).toEqual([place])
})

test.each([
  ["its page is missing", (place: string) => rm(join(place, "index.html"))],
  ["its page is empty", (place: string) => writeFile(join(place, "index.html"), "")],
  ["a script is empty", (place: string) => writeFile(join(place, "assets", "index.js"), "")],
])("a dashboard is built again when %s, as after a power cut", async (_, damage) => {
  const { builds, ensure } = await setUp()
  await damage(await ensure())
  const place = await ensure()
  expect(builds).toHaveLength(2)
  expect(await readFile(join(place, "index.html"), "utf8")).toBe("<!doctype html>")
  expect(await readFile(join(place, "assets", "index.js"), "utf8")).toBe("export {}")
})

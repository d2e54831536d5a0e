import { link, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { writeFileDurably } from "./write-file-durably.ts"

test.skipIf(process.platform === "win32").each([
  ["symbolic link", symlink],
  ["hard link", link],
])("does not write secrets through a %s that exists where the draft goes", async (_kind, makeLink) => {
  const folder = await mkdtemp(join(tmpdir(), "sealway-durably-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  const [path, elsewhere] = [join(folder, "env"), join(folder, "elsewhere")]
  await writeFile(elsewhere, "before", { mode: 0o666 })
  await makeLink(elsewhere, `${path}.tmp`)
  await writeFileDurably(path, Buffer.from("secret"))
  expect(await readFile(elsewhere, "utf8")).toBe("before")
  expect(await readFile(path, "utf8")).toBe("secret")
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

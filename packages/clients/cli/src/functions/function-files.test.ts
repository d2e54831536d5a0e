import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { unzipSync } from "fflate"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { readFunctionFiles, zipFunctionFiles } from "./function-files.ts"

let folder = ""
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealway-files-"))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function write(...names: string[]): Promise<void> {
  for (const name of names) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), name)
  }
}

describe("the files of a function", () => {
  test("are everything in its folder, except tools' own files, secrets and links", async () => {
    await write("index.mjs", "lib/a.mjs", "node_modules/b/index.mjs", "certs/ca.pem", "environment.mjs")
    await write(".env", ".env.local", "lib/.env", ".git/HEAD", ".npmrc", "function.toml", "npm-debug.log")
    await write("__pycache__/a.pyc", "lib/b.pyc", ".venv/bin/python", "node_modules/.bin/tool", ".DS_Store")
    await symlink("/etc/passwd", join(folder, "link"))
    await symlink(tmpdir(), join(folder, "linked"))
    expect([...(await readFunctionFiles(folder)).keys()]).toEqual([
      "certs/ca.pem",
      "environment.mjs",
      "index.mjs",
      "lib/a.mjs",
      "node_modules/b/index.mjs",
    ])
  })

  test("leave out further ignored names, at the top level only", async () => {
    await write("index.mjs", "node_modules/a.mjs", "lib/node_modules/b.mjs")
    const files = await readFunctionFiles(folder, ["node_modules"])
    expect([...files.keys()]).toEqual(["index.mjs", "lib/node_modules/b.mjs"])
  })

  test("are refused when there are more than a function may have", async () => {
    await write(...Array.from({ length: 5_001 }, (_, index) => `f${index}`))
    await expect(readFunctionFiles(folder)).rejects.toMatchObject({ code: "usage" })
  }, 30_000)
})

describe("the zip of a function", () => {
  test("is identical for the same files, whatever their times and the order in which they were found", async () => {
    await write("b.mjs", "a.mjs")
    const files = await readFunctionFiles(folder)
    const zip = zipFunctionFiles(files)
    await utimes(join(folder, "a.mjs"), 1, 1)
    const again = zipFunctionFiles(new Map([...(await readFunctionFiles(folder))].reverse()))
    expect(Buffer.from(again).equals(zip)).toBe(true)
    expect(Buffer.from(unzipSync(zip)["a.mjs"] ?? []).toString()).toBe("a.mjs")
  })

  test("is refused when it is larger than the service accepts", () => {
    const noise = crypto.getRandomValues.bind(crypto)
    const chunk = () => noise(new Uint8Array(65_536))
    const files = new Map(Array.from({ length: 50 }, (_, index) => [`f${index}`, chunk()]))
    expect(() => zipFunctionFiles(files)).toThrow(/limit is 3 MB/)
    expect(zipFunctionFiles(new Map([...files].slice(0, 40))).length).toBeLessThan(3 * 1_048_576)
  })
})

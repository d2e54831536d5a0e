import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { ROOT, startReady, withFolder } from "../support/start.ts"

const execute = promisify(execFile)
const BIN = join(ROOT, "packages", "clients", "cli", "bin", "sealway.mjs")

test("restores a backup of a running service, and another since it, checked and started with the same apps and keys", () =>
  withFolder(async (folder) => {
    const sealway = async (...args: string[]) =>
      (await execute(process.execPath, [BIN, ...args], { cwd: folder })).stdout
    const first = await startReady(join(folder, ".sealway"))
    await writeFile(join(folder, "passphrase"), "correct horse battery staple\n", { mode: 0o600 })
    const passphrase = ["--passphrase-file", "passphrase"]

    expect(await sealway("data", "backup", "sealway.backup", ...passphrase)).toBe("sealway.backup\n")
    await expect(sealway("data", "check")).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("in use"),
    })
    expect(await first.stop()).toBe(0)
    expect(JSON.parse(await sealway("data", "check", "--json"))).toMatchObject({
      ok: true,
      lastCleanStopAt: expect.any(String),
    })

    await sealway("data", "backup", "later.backup", "--since", "sealway.backup", ...passphrase)
    const chain = ["sealway.backup", "restored", "--increment", "later.backup"]
    await sealway("data", "restore", ...chain, ...passphrase)
    expect(await sealway("data", "check", "restored")).toMatch(/^manifest\tok\t(?:.|\n)*^folder\tok\t/m)
    const again = await startReady(join(folder, "restored"))
    expect(again.ready.apps).toEqual(first.ready.apps)
    await again.stop()
  }))

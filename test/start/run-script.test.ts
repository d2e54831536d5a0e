import { cp, mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { ROOT, startProgram, withFolder } from "../support/start.ts"

test("a script runs once where node_modules is a link to another folder", async () => {
  await withFolder(async (folder) => {
    await mkdir(join(folder, "scripts"))
    await cp(join(ROOT, "scripts", "run.mjs"), join(folder, "scripts", "run.mjs"))
    await cp(join(ROOT, "package-lock.json"), join(folder, "package-lock.json"))
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"), "dir")
    await writeFile(join(folder, "scripts", "say.mjs"), "console.log(process.argv.slice(2).join())")
    const started = startProgram([process.execPath, "scripts/run.mjs", "scripts/say.mjs", "a", "b"], folder)
    expect(await started.ended()).toBe(0)
    expect(started.stdout()).toBe("a,b\n")
  })
})

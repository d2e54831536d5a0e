import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { ROOT, startProgram, withFolder } from "../support/start.ts"

/** A project that brings nothing but the scripts that start everything. */
async function makeProject(folder: string): Promise<void> {
  await mkdir(join(folder, "scripts"))
  for (const name of ["run.mjs", "installation.mjs"]) {
    await cp(join(ROOT, "scripts", name), join(folder, "scripts", name))
  }
  await writeFile(join(folder, "scripts", "say.mjs"), "console.log(process.argv.slice(2).join())")
}

/** The same, with a lockfile that asks for a package, and an older version of it installed. */
async function makeOutdatedProject(folder: string): Promise<void> {
  await makeProject(folder)
  await mkdir(join(folder, "packages", "a"), { recursive: true })
  const manifest = { name: "project", version: "1.0.0", dependencies: { zod: "4.0.0" } }
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest))
  await writeFile(
    join(folder, "packages", "a", "package.json"),
    JSON.stringify({ name: "a", version: "1.0.0" }),
  )
  const lockfileOf = (version: string) =>
    JSON.stringify({
      ...{ name: "project", version: "1.0.0", lockfileVersion: 3, requires: true },
      packages: {
        "": manifest,
        "node_modules/zod": { version, resolved: `http://127.0.0.1:9/zod-${version}.tgz` },
      },
    })
  await writeFile(join(folder, "package-lock.json"), lockfileOf("4.0.0"))
  await mkdir(join(folder, "node_modules", "zod"), { recursive: true })
  await writeFile(join(folder, "node_modules", ".package-lock.json"), lockfileOf("3.0.0"))
  await writeFile(join(folder, "node_modules", "zod", "index.js"), "works")
  // Nobody listens there.
  await writeFile(join(folder, ".npmrc"), "registry=http://127.0.0.1:9/\nfetch-retries=0\n")
}

const runScript = (folder: string) =>
  startProgram([process.execPath, "scripts/run.mjs", "scripts/say.mjs", "a", "b"], folder)

test("a script runs once where node_modules is a link to another folder", async () => {
  await withFolder(async (folder) => {
    await makeProject(folder)
    await cp(join(ROOT, "package-lock.json"), join(folder, "package-lock.json"))
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"), "dir")
    const started = runScript(folder)
    expect(await started.ended()).toBe(0)
    expect(started.stdout()).toBe("a,b\n")
  })
})

test("an installation that the registry does not answer leaves the one that is there as it is", async () => {
  await withFolder(async (folder) => {
    await makeOutdatedProject(folder)
    const before = (await readdir(folder)).sort()
    const started = runScript(folder)
    expect(await started.ended()).toBe(1)
    expect(started.stderr()).toContain("What was installed before is still there.")
    expect(await readFile(join(folder, "node_modules", "zod", "index.js"), "utf8")).toBe("works")
    expect((await readdir(folder)).sort()).toEqual(before)
  })
})

test("nothing is installed while a service runs from the installation", async () => {
  await withFolder(async (folder) => {
    await makeOutdatedProject(folder)
    const running = join(folder, "node_modules", ".cache", "running")
    await mkdir(running, { recursive: true })
    await writeFile(join(running, String(process.pid)), "")
    // One that was killed leaves its note, and counts no more.
    await writeFile(join(running, "4194304999"), "")
    const started = runScript(folder)
    expect(await started.ended()).toBe(1)
    expect(started.stderr()).toContain(`A service (process ${process.pid}) runs from this installation`)
  })
})

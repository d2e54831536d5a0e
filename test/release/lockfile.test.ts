import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import * as z from "zod"
import { ROOT } from "../support/start.ts"

const entrySchema = z.object({
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  link: z.boolean().default(false),
  inBundle: z.boolean().default(false),
  dev: z.boolean().default(false),
  hasInstallScript: z.boolean().default(false),
})
const { packages } = z
  .object({ packages: z.record(z.string(), entrySchema) })
  .parse(JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")))
/** Other people's packages; what a package bundles is covered by that package's hash. */
const foreign = Object.entries(packages).filter(
  ([path, { link, inBundle }]) => path.includes("node_modules/") && !link && !inBundle,
)

test("fixes the content of every other package by a SHA-512, and loads none from outside a registry", () => {
  expect(foreign.length).toBeGreaterThan(300)
  const loose = foreign.filter(
    ([, { resolved, integrity }]) =>
      resolved?.startsWith("https://registry.npmjs.org/") === false ||
      !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""),
  )
  expect(loose).toEqual([])
})

// esbuild is only for development, but an optional peer of the dashboard's bundler, so that npm installs it too.
test("runs code on installation in two packages of the product's only: they look for their compiled part", () => {
  const running = foreign.filter(([, { dev, hasInstallScript }]) => !dev && hasInstallScript)
  expect(running.map(([path]) => path)).toEqual(["node_modules/esbuild", "node_modules/koffi"])
})

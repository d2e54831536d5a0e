import { globSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { defineConfig } from "vitest/config"
import * as z from "zod"

const ROOT = resolve(import.meta.dirname, "..", "..")

const packageSchema = z.object({ name: z.string(), exports: z.record(z.string(), z.string()) })

/**
 * Stryker mutates a copy of the repository, whose `node_modules` leads back to the packages of the original. Here each
 * name of a package leads to the copy.
 */
const alias = globSync("packages/*/*/package.json", { cwd: ROOT }).flatMap((manifest) => {
  const home = join(ROOT, dirname(manifest))
  const { name, exports } = packageSchema.parse(JSON.parse(readFileSync(join(ROOT, manifest), "utf8")))
  return Object.entries(exports).map(([path, file]) => ({
    find: new RegExp(`^${join(name, path)}$`),
    replacement: join(home, file),
  }))
})

export default defineConfig({
  root: ROOT,
  resolve: { alias },
  test: {
    // Set by `scripts/mutate.ts`; Stryker starts a process for each run.
    include: z.array(z.string()).parse(JSON.parse(process.env.MUTATION_TESTS ?? "[]")),
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})

import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { expect, test } from "vitest"

const ROOT = join(import.meta.dirname, "../..")
const MAX_GZIP_BYTES = 12_000

test("gives a page that encrypts at most 12 kB of code, and nothing of Node.js", async () => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: 'export { SealwayBrowser } from "@sealway/sdk/browser"', resolveDir: ROOT },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    mainFields: [],
    conditions: [],
    target: "es2022",
    metafile: true,
    write: false,
  })
  const text = outputFiles.map((file) => file.text).join()
  expect(gzipSync(text, { level: 9 }).length).toBeLessThanOrEqual(MAX_GZIP_BYTES)
  expect(text).not.toMatch(/\bBuffer\b|\brequire\b|\bprocess\b|\bnode:/)
  const inputs = Object.keys(metafile.inputs)
  expect(inputs.filter((file) => file.includes("node_modules"))).toEqual([])
  expect(inputs).toContain("packages/clients/sdk/src/sealing/web.ts")
  expect(inputs).not.toContain("packages/clients/sdk/src/sealing/node.ts")
})

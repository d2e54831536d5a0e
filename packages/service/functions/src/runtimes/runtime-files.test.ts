import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { RUNTIME_HANDLER, runtimeFiles } from "./runtime-files.ts"

const FILES = {
  "__init__.py": "python",
  "runtime.mjs": "node",
  "runtime.py": "python",
  "seal.mjs": "node",
  "seal.py": "python",
  "silence.mjs": "node",
  "silence.py": "python",
} as const

test("equal the runtimes' source files (run with -u after a change)", async () => {
  const texts: Record<string, string[]> = {}
  for (const [name, folder] of Object.entries(FILES)) {
    texts[name] = (await readFile(join(import.meta.dirname, folder, name), "utf8")).split("\n")
  }
  await expect(`${JSON.stringify(texts, null, 2)}\n`).toMatchFileSnapshot("./runtime-sources.json")
})

test.each(["node", "python"] as const)("of %s include the module that Lambda is told to load", (runtime) => {
  const module = RUNTIME_HANDLER.slice(0, RUNTIME_HANDLER.lastIndexOf("."))
  const paths = [...runtimeFiles(runtime, "index.mjs").keys()]

  expect(paths.some((path) => path.replace(/\.(mjs|py)$/, "") === module)).toBe(true)
})

test("tell the wrapper the customer's file, whatever its name", () => {
  const file = runtimeFiles("python", 'src/"odd".py').get("__sealway__/handler.json") ?? new Uint8Array()

  expect(JSON.parse(Buffer.from(file).toString())).toEqual({ file: 'src/"odd".py' })
})

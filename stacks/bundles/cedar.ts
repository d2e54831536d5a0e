import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Plugin } from "esbuild"
import type { PackedFile } from "./zip.ts"
import { packFile } from "./zip.ts"

/** How bundles import Cedar. Named `.cjs` since it is CommonJS, and nothing else in the zip says so. */
export const CEDAR_IMPORT = "./cedar/cedar_wasm.cjs"

const SPECIFIER = "@cedar-policy/cedar-wasm/nodejs"
/** Cedar reads it from its own folder. */
const WASM = "cedar_wasm_bg.wasm"

/**
 * Leaves Cedar out of the code and beside it, whole: it is imported when a request first meets a policy, and 4 MB of
 * WebAssembly that are never asked for cost a cold start nothing but their way into the sandbox.
 */
export const cedarBesideBundle: Plugin = {
  name: "cedar-beside-bundle",
  setup(build) {
    build.onResolve({ filter: /^@cedar-policy\/cedar-wasm/ }, ({ path, kind, importer }) => {
      if (path === SPECIFIER && kind === "dynamic-import") return { path: CEDAR_IMPORT, external: true }
      return {
        errors: [{ text: `${importer} imports Cedar otherwise than lazily, by import("${SPECIFIER}")` }],
      }
    })
  },
}

/** What is put beside a bundle that imports Cedar. */
export async function packCedar(): Promise<readonly PackedFile[]> {
  const entry = createRequire(import.meta.url).resolve(SPECIFIER)
  const wasm = await readFile(join(dirname(entry), WASM))
  return [
    await packFile("cedar/cedar_wasm.cjs", await readFile(entry)),
    await packFile(`cedar/${WASM}`, wasm),
  ]
}

import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { type PackedFile, packFile } from "@sealway/functions"
import type { Plugin } from "esbuild"

/** The only source that loads Cedar. A bundle that contains its code needs Cedar next to it. */
export const CEDAR_LOADER = "packages/service/policies/src/cedar/cedar.ts"

const PACKAGE = "@cedar-policy/cedar-wasm"
/** What Node.js reads to resolve the package, and the module with its WebAssembly. */
const FILES = ["package.json", "nodejs/package.json", "nodejs/cedar_wasm.js", "nodejs/cedar_wasm_bg.wasm"]

/**
 * Refuses imports of Cedar: it is not bundled but loaded by `require` when a request first meets a policy, and again
 * when an instance traps. 4 MB of unused WebAssembly then cost a cold start only their way into the sandbox.
 */
export const cedarBesideBundle: Plugin = {
  name: "cedar-beside-bundle",
  setup(build) {
    build.onResolve({ filter: /^@cedar-policy\// }, ({ path, importer }) => ({
      errors: [{ text: `${importer} imports ${path}: only ${CEDAR_LOADER} loads it, without an import` }],
    }))
  },
}

/**
 * Packs what is next to a bundle that loads Cedar: the package as npm installs it, without what Node.js does not use.
 */
export async function packCedar(): Promise<readonly PackedFile[]> {
  const folder = dirname(dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/nodejs`)))
  return Promise.all(
    FILES.map(async (file) =>
      packFile(`node_modules/${PACKAGE}/${file}`, await readFile(join(folder, file))),
    ),
  )
}

import { join } from "node:path"
import { build, type Plugin } from "esbuild"
import { CEDAR_LOADER, cedarBesideBundle } from "./cedar.ts"
import type { FunctionEntry } from "./find-functions.ts"
import { PROJECT_ROOT } from "./project-root.ts"
import { environmentCredentials, writtenData } from "./substitutes.ts"

/** The code of a Lambda function, in one file. */
export interface BuiltFunction {
  readonly functionName: string
  readonly code: Uint8Array
  readonly loadsCedar: boolean
  /** See `FunctionBundle`. */
  readonly sources: readonly string[]
}

const NAMESPACE = "function"
/** Where esbuild would write its output. */
const OUT_FOLDER = "dist"

/** Bundled CommonJS libraries load the modules of Node.js by `require`, which ES modules do not have. */
const REQUIRE = `import { createRequire as createBundleRequire } from "node:module"
const require = createBundleRequire(import.meta.url)`

/**
 * Bundles functions, each by itself: with what it needs of the packages and of libraries, including the AWS SDK's
 * clients, since those of the runtime are older and load whole.
 */
export async function buildFunctions(entries: readonly FunctionEntry[]): Promise<readonly BuiltFunction[]> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: PROJECT_ROOT,
    entryPoints: entries.map(({ functionName }) => ({
      in: `${NAMESPACE}:${functionName}`,
      out: functionName,
    })),
    outdir: OUT_FOLDER,
    outExtension: { ".js": ".mjs" },
    write: false,
    metafile: true,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node24",
    // Libraries' ES modules, where they have them: their CommonJS cannot be tree-shaken.
    mainFields: ["module", "main"],
    conditions: ["module", "import"],
    minify: true,
    legalComments: "none",
    logLevel: "silent",
    banner: { js: REQUIRE },
    plugins: [functionEntries(entries), environmentCredentials, cedarBesideBundle, writtenData],
  })
  const contents = new Map(outputFiles.map(({ path, contents }) => [path, contents]))
  return entries.map(({ functionName }) => {
    const file = `${functionName}.mjs`
    const output = metafile.outputs[`${OUT_FOLDER}/${file}`]
    const code = contents.get(join(PROJECT_ROOT, OUT_FOLDER, file))
    if (output === undefined || code === undefined) throw new Error(`esbuild made nothing of ${functionName}`)
    const sources = Object.entries(output.inputs)
      .filter(([path, { bytesInOutput }]) => bytesInOutput > 0 && !path.startsWith(`${NAMESPACE}:`))
      .map(([path]) => path)
      .sort()
    return { functionName, code, loadsCedar: sources.includes(CEDAR_LOADER), sources }
  })
}

/** Gives esbuild the entries, which are not files. */
function functionEntries(entries: readonly FunctionEntry[]): Plugin {
  const sources = new Map(entries.map(({ functionName, source }) => [functionName, source]))
  const prefix = new RegExp(`^${NAMESPACE}:`)
  return {
    name: "function-entries",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: prefix }, ({ path }) => ({
        path: path.replace(prefix, ""),
        namespace: NAMESPACE,
      }))
      onLoad({ filter: /./, namespace: NAMESPACE }, ({ path }) => {
        const contents = sources.get(path)
        return contents === undefined ? null : { contents, resolveDir: PROJECT_ROOT, loader: "ts" }
      })
    },
  }
}

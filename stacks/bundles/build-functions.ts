import { join } from "node:path"
import { build, type Plugin } from "esbuild"
import { CEDAR_LOADER, cedarBesideBundle } from "./cedar.ts"
import type { FunctionEntry } from "./find-functions.ts"
import { PROJECT_ROOT } from "./project-root.ts"
import {
  builtinsOnUse,
  environmentCredentials,
  noConfigurationFiles,
  withoutJsonSchema,
  writtenData,
} from "./substitutes.ts"
import { type ClientService, uncallableServices, uncalledClients } from "./uncalled-clients.ts"
import { type BuiltLibrary, buildUndici, UNDICI_INDEX, undiciBesideBundle } from "./undici.ts"

/** The code of a Lambda function. */
export interface BuiltFunction {
  readonly functionName: string
  /** Of `FUNCTION_FILE`. */
  readonly code: Uint8Array
  /** What must be next to it, unless it is Cedar. */
  readonly libraries: readonly BuiltLibrary[]
  readonly loadsCedar: boolean
  /** See `FunctionBundle`. */
  readonly sources: readonly string[]
}

const NAMESPACE = "function"
/** The path of a module that is no file: a namespace comes first. */
const VIRTUAL = /^[a-z-]+:/
/** Where esbuild would write its output. */
const OUT_FOLDER = "dist"

/** CommonJS has no `import.meta.url`, from which Cedar is found. */
const BUNDLE_URL = "bundleUrl"
const DEFINE_BUNDLE_URL = `const ${BUNDLE_URL} = require("node:url").pathToFileURL(__filename).href`

/**
 * Bundles functions, each by itself: with what it needs of the packages and of libraries, including the AWS SDK's
 * clients that it may call, since those of the runtime are older and load whole.
 */
export async function buildFunctions(entries: readonly FunctionEntry[]): Promise<readonly BuiltFunction[]> {
  const groups = Map.groupBy(entries, ({ grants }) => uncallableServices(grants).join())
  const undici = await buildUndici()
  const built = await Promise.all(
    [...groups.values()].map((group) => buildGroup(group, uncallableServices(group[0]?.grants ?? null))),
  )
  const byName = new Map(built.flat().map((each) => [each.functionName, withUndici(each, undici)]))
  return entries.flatMap(({ functionName }) => byName.get(functionName) ?? [])
}

/** Bundles functions without the clients of some services. */
async function buildGroup(
  entries: readonly FunctionEntry[],
  uncallable: readonly ClientService[],
): Promise<readonly Omit<BuiltFunction, "libraries">[]> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: PROJECT_ROOT,
    entryPoints: entries.map(({ functionName }) => ({
      in: `${NAMESPACE}:${functionName}`,
      out: functionName,
    })),
    outdir: OUT_FOLDER,
    write: false,
    metafile: true,
    bundle: true,
    // CommonJS, and no `import()` either: an import of a module of Node.js evaluates all of its exports. For `node:http`
    // these include a WebSocket client, and take ten times as long as `require`.
    format: "cjs",
    supported: { "dynamic-import": false },
    platform: "node",
    target: "node24",
    // Libraries' ES modules, where they have them: their CommonJS cannot be tree-shaken.
    mainFields: ["module", "main"],
    conditions: ["module", "import"],
    minify: true,
    legalComments: "none",
    logLevel: "silent",
    banner: { js: DEFINE_BUNDLE_URL },
    define: { "import.meta.url": BUNDLE_URL },
    plugins: [
      functionEntries(entries),
      uncalledClients(uncallable),
      environmentCredentials,
      noConfigurationFiles,
      undiciBesideBundle,
      builtinsOnUse,
      withoutJsonSchema,
      cedarBesideBundle,
      writtenData,
    ],
  })
  const contents = new Map(outputFiles.map(({ path, contents }) => [path, contents]))
  return entries.map(({ functionName }) => {
    const file = `${functionName}.js`
    const output = metafile.outputs[`${OUT_FOLDER}/${file}`]
    const code = contents.get(join(PROJECT_ROOT, OUT_FOLDER, file))
    if (output === undefined || code === undefined) throw new Error(`esbuild made nothing of ${functionName}`)
    const sources = Object.entries(output.inputs)
      .filter(([path, { bytesInOutput }]) => bytesInOutput > 0 && !VIRTUAL.test(path))
      .map(([path]) => path)
      .sort()
    return { functionName, code, loadsCedar: sources.includes(CEDAR_LOADER), sources }
  })
}

function withUndici(built: Omit<BuiltFunction, "libraries">, undici: BuiltLibrary): BuiltFunction {
  if (!built.sources.includes(UNDICI_INDEX)) return { ...built, libraries: [] }
  return {
    ...built,
    libraries: [undici],
    sources: [...new Set([...built.sources, ...undici.sources])].sort(),
  }
}

/** Gives esbuild the entries, which are not files. */
function functionEntries(entries: readonly FunctionEntry[]): Plugin {
  const sources = new Map(entries.map(({ functionName, source }) => [functionName, source]))
  const prefix = new RegExp(`^${NAMESPACE}:`)
  return {
    name: "function-entries",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: prefix }, ({ path }) => ({ path: path.replace(prefix, ""), namespace: NAMESPACE }))
      onLoad({ filter: /./, namespace: NAMESPACE }, ({ path }) => {
        const contents = sources.get(path)
        return contents === undefined ? null : { contents, resolveDir: PROJECT_ROOT, loader: "ts" }
      })
    },
  }
}

import { dirname, join } from "node:path"
import { build, type Plugin } from "esbuild"
import { PROJECT_ROOT } from "./project-root.ts"

/** The only source of undici in a bundle. A bundle that contains it needs `UNDICI_FILE` next to it. */
export const UNDICI_INDEX = "node_modules/undici/index.js"

/** The file of a zip with the HTTP client. */
export const UNDICI_FILE = "undici.js"

/** A library in a file of its own. */
export interface BuiltLibrary {
  readonly file: string
  readonly code: Uint8Array
  /** See `FunctionBundle`. */
  readonly sources: readonly string[]
}

/**
 * Leaves undici in a file next to the bundle, and loads that when something of it is first used, which in many functions
 * is never. V8 reads over all code of a file when it is loaded: half a megabyte takes a cold start 15 ms.
 */
export const undiciBesideBundle: Plugin = {
  name: "undici-beside-bundle",
  setup(build) {
    build.onLoad({ filter: /[\\/]node_modules[\\/]undici[\\/]index\.js$/ }, () => ({ contents: ON_USE }))
    build.onResolve({ filter: /^\.\/undici\.js$/ }, ({ path }) => ({ path, external: true }))
  },
}

const ON_USE = `
module.exports = {
  get Agent() { return require("./${UNDICI_FILE}").Agent },
  get Pool() { return require("./${UNDICI_FILE}").Pool },
  get buildConnector() { return require("./${UNDICI_FILE}").buildConnector },
  get errors() { return require("./${UNDICI_FILE}").errors },
}
`

/** The part of undici that is used, two thirds: its index also loads caches, mocks and proxies. */
const USED = `
Object.assign(require("./lib/dispatcher/dispatcher.js").prototype, { request: require("./lib/api/api-request.js") })
module.exports = {
  Agent: require("./lib/dispatcher/agent.js"),
  Pool: require("./lib/dispatcher/pool.js"),
  buildConnector: require("./lib/core/connect.js"),
  errors: require("./lib/core/errors.js"),
}
`

/** The name of `USED`, which is no file. */
const VIRTUAL = "used-of-undici"

/** Builds the file that `undiciBesideBundle` loads. */
export async function buildUndici(): Promise<BuiltLibrary> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: PROJECT_ROOT,
    stdin: { contents: USED, resolveDir: dirname(join(PROJECT_ROOT, UNDICI_INDEX)), sourcefile: VIRTUAL },
    write: false,
    metafile: true,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node24",
    minify: true,
    legalComments: "none",
    logLevel: "silent",
  })
  const [output] = outputFiles
  if (output === undefined) throw new Error("esbuild made nothing of undici")
  const sources = Object.keys(metafile.inputs).filter((path) => !path.endsWith(VIRTUAL))
  return { file: UNDICI_FILE, code: output.contents, sources: sources.sort() }
}

import { join } from "node:path"
import { build } from "esbuild"

const ROOT = join(import.meta.dirname, "../../..")

/** How the suite is started: as a program, as a worker that answers requests, or by a page's script. */
const STARTS = {
  program: `
    const { runSuite } = await import("./test/sdk/runtimes/suite.ts")
    let input = ""
    for await (const chunk of process.stdin) input += chunk
    const result = JSON.stringify(await runSuite(JSON.parse(input)))
    process.stdout.write(result, () => process.exit(0))`,
  worker: `
    import { runSuite } from "./test/sdk/runtimes/suite.ts"
    export default { fetch: async (request) => Response.json(await runSuite(await request.json())) }`,
  page: `
    import { runSuite } from "./test/sdk/runtimes/suite.ts"
    globalThis.runSuite = runSuite`,
} as const

/**
 * Bundles the suite as an application would bundle the SDK: a program with what encrypts on `node:crypto`, the others with
 * what encrypts on WebCrypto.
 */
export async function bundleSuite(start: keyof typeof STARTS): Promise<string> {
  const isProgram = start === "program"
  const { outputFiles, metafile } = await build({
    stdin: { contents: STARTS[start], resolveDir: ROOT, loader: "ts" },
    bundle: true,
    format: "esm",
    platform: isProgram ? "node" : "neutral",
    conditions: [],
    metafile: true,
    write: false,
  })
  const platform = `packages/clients/sdk/src/sealing/${isProgram ? "node" : "web"}.ts`
  if (!(platform in metafile.inputs)) throw new Error(`The bundle is without ${platform}`)
  return outputFiles.map(({ text }) => text).join("")
}

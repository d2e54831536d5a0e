import { cp, mkdir, rm, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { build } from "esbuild"

const ROOT = resolve(import.meta.dirname, "../..")
/** The only library that stays a package: it loads its compiled part from beside it. */
const KOFFI = "node_modules/koffi"
/** Its sources in C++ and assembly are not needed. */
const SOURCES = /\.(?:cc|hh|inc|S|asm|def|txt)$/

/**
 * Builds the agent of enclaves as a folder for an image: `agent.mjs`, and the library that calls the security module, for
 * Linux on the architecture of this machine. Nothing is downloaded.
 *
 * @param folder replaced if it exists
 */
export async function buildAgent(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await build({
    absWorkingDir: ROOT,
    entryPoints: ["packages/clients/enclave-agent/src/main.ts"],
    outfile: join(folder, "agent.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node24",
    mainFields: ["module", "main"],
    conditions: ["module", "import"],
    external: ["koffi"],
    minify: true,
    legalComments: "none",
    logLevel: "silent",
  })
  await writeFile(join(folder, "package.json"), `${JSON.stringify({ type: "module", private: true })}\n`)
  const compiled = `node_modules/@koromix/koffi-linux-${process.arch}`
  for (const file of [
    ...["package.json", "index.js", "src/koffi", "LICENSE.txt"].map((name) => join(KOFFI, name)),
    compiled,
  ]) {
    await cp(join(ROOT, file), join(folder, file), { recursive: true, filter: (path) => !SOURCES.test(path) })
  }
}

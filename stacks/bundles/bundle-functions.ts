import { mkdir, writeFile } from "node:fs/promises"
import { availableParallelism } from "node:os"
import { join, resolve } from "node:path"
import { type PackedFile, packFile, writeZip } from "@sealway/functions"
import { type BuiltFunction, buildFunctions } from "./build-functions.ts"
import { packCedar } from "./cedar.ts"
import { type BundleFile, scriptsOf, withCompileCaches } from "./compile-cache.ts"
import { findFunctions } from "./find-functions.ts"
import type { FunctionBundle } from "./function-bundle.ts"

export interface BundleOptions {
  /** Default: all functions. */
  readonly names?: readonly string[]
  /** Path of the Node.js that makes the zips' compile caches; null, the default: they have none. */
  readonly compileCachesBy?: string | null
}

/**
 * Bundles the Lambda functions of the service: `<function name>.zip` in a folder, which is created if it does not exist.
 *
 * @returns in the order of their names
 */
export async function bundleFunctions(
  outFolder: string,
  { names, compileCachesBy = null }: BundleOptions = {},
): Promise<readonly FunctionBundle[]> {
  const folder = resolve(outFolder)
  await mkdir(folder, { recursive: true })
  const entries = (await findFunctions()).filter(({ functionName }) => names?.includes(functionName) ?? true)
  const [built, cedar] = await Promise.all([buildFunctions(entries), packCedar()])
  const bundles: FunctionBundle[] = []
  const waiting = built.entries()
  const writeWaiting = async () => {
    for (const [index, each] of waiting) {
      const files =
        compileCachesBy === null ? scriptsOf(each) : await withCompileCaches(each, compileCachesBy)
      bundles[index] = await writeBundle(folder, each, files, cedar)
    }
  }
  // Each compile cache is made by a process.
  await Promise.all(Array.from({ length: availableParallelism() }, writeWaiting))
  return bundles
}

async function writeBundle(
  folder: string,
  { functionName, loadsCedar, sources }: BuiltFunction,
  contents: readonly BundleFile[],
  cedar: readonly PackedFile[],
): Promise<FunctionBundle> {
  const files = [
    ...(await Promise.all(contents.map(({ file, code }) => packFile(file, code)))),
    ...(loadsCedar ? cedar : []),
  ]
  const zipPath = join(folder, `${functionName}.zip`)
  await writeFile(zipPath, writeZip(files))
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return { functionName, zipPath, handler: "index.handler", bytes, sources }
}

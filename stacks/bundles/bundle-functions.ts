import { mkdir, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { type PackedFile, packFile, writeZip } from "@sealway/functions"
import { type BuiltFunction, buildFunctions } from "./build-functions.ts"
import { packCedar } from "./cedar.ts"
import { findFunctions } from "./find-functions.ts"
import { FUNCTION_FILE, type FunctionBundle } from "./function-bundle.ts"

/**
 * Bundles the Lambda functions of the service: `<function name>.zip` in a folder, which is created if it does not exist.
 *
 * @param names default: all functions
 * @returns in the order of their names
 */
export async function bundleFunctions(
  outFolder: string,
  names?: readonly string[],
): Promise<readonly FunctionBundle[]> {
  const folder = resolve(outFolder)
  await mkdir(folder, { recursive: true })
  const entries = (await findFunctions()).filter(({ functionName }) => names?.includes(functionName) ?? true)
  const [built, cedar] = await Promise.all([buildFunctions(entries), packCedar()])
  return Promise.all(built.map((each) => writeBundle(folder, each, cedar)))
}

async function writeBundle(
  folder: string,
  { functionName, code, libraries, loadsCedar, sources }: BuiltFunction,
  cedar: readonly PackedFile[],
): Promise<FunctionBundle> {
  const files = [
    await packFile(FUNCTION_FILE, code),
    ...(await Promise.all(libraries.map((library) => packFile(library.file, library.code)))),
    ...(loadsCedar ? cedar : []),
  ]
  const zipPath = join(folder, `${functionName}.zip`)
  await writeFile(zipPath, writeZip(files))
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return { functionName, zipPath, handler: "index.handler", bytes, sources }
}

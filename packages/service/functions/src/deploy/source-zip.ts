import { type InvalidRequestError, invalidField, MB } from "@sealway/kernel"
import type { Language } from "@sealway/ports"
import { type FunctionRuntime, RUNTIME_FOLDER, runtimeFiles, runtimeOf } from "../runtimes/runtime-files.ts"
import { InvalidZipError } from "../zip/invalid-zip-error.ts"
import { listZip } from "../zip/list-zip.ts"
import type { PackedFile } from "../zip/packed-file.ts"
import { unpackFile } from "../zip/unpack-file.ts"
import { packFile, writeZip } from "../zip/write-zip.ts"

/** The largest zip that can be sent, in bytes. */
export const MAX_ZIP_BYTES = 3 * MB
/** The limit for its unpacked content. */
export const MAX_UNPACKED_BYTES = 50 * MB
/** Counts files and folders. */
export const MAX_FILES = 5_000
const MAX_NAME_CHARACTERS = 255
/** The names of files that the wrapper of a runtime can load. */
const MODULE_NAMES: Readonly<Record<FunctionRuntime, RegExp>> = { node: /\.(?:mjs|cjs|js)$/, python: /\.py$/ }

/** The files of a function as packed in its zip, by path. They can be unpacked. */
export type SourceFiles = ReadonlyMap<string, PackedFile>

/**
 * Reads a zip that a customer sends. What the zip states is compared with its content: everything is unpacked once,
 * yielding to the event loop in between, and discarded.
 *
 * @throws InvalidRequestError pointing at `/code` when it is not a zip, too large, or has forbidden file names
 */
export async function readSourceZip(zip: Uint8Array): Promise<SourceFiles> {
  if (zip.length > MAX_ZIP_BYTES) throw codeProblem(`The zip is larger than ${MAX_ZIP_BYTES / MB} MB.`)
  try {
    const bytes = Buffer.from(zip.buffer, zip.byteOffset, zip.length)
    const files = listZip(bytes, { maxEntries: MAX_FILES, maxBytes: MAX_UNPACKED_BYTES })
    for (const { path } of files) {
      const problem = nameProblem(path)
      if (problem !== null) throw codeProblem(problem)
    }
    for (const file of files) await checkContent(file)
    return new Map(files.map((file) => [file.path, file]))
  } catch (error) {
    if (error instanceof InvalidZipError) throw codeProblem(error.message, error)
    throw error
  }
}

/** @throws InvalidZipError when the content is not what the zip states */
async function checkContent(file: PackedFile): Promise<void> {
  for await (const _ of unpackFile(file));
}

function nameProblem(name: string): string | null {
  if (name.length > MAX_NAME_CHARACTERS) {
    return `A file in the zip has a name longer than ${MAX_NAME_CHARACTERS} characters.`
  }
  if (/\p{Cc}/u.test(name)) return "A file in the zip has a control character in its name."
  if (name.split("/")[0] === RUNTIME_FOLDER) {
    return `A file in the zip is in ${RUNTIME_FOLDER}/, which is reserved.`
  }
  return null
}

/**
 * Checks the handler file.
 *
 * @throws InvalidRequestError pointing at `/handler` when it does not exist, or the language cannot load it
 */
export function requireHandler(files: SourceFiles, language: Language, handler: string): void {
  if (!MODULE_NAMES[runtimeOf(language)].test(handler)) {
    throw invalidField(
      "/handler",
      "The handler file must end in .mjs, .cjs or .js for Node.js, or .py for Python.",
    )
  }
  if (!files.has(handler)) throw invalidField("/handler", "The zip does not contain the handler file.")
}

/** Writes the zip to deploy: a function's files as they were packed, and the wrapper that calls them. */
export async function writeDeploymentZip(
  files: SourceFiles,
  language: Language,
  handler: string,
): Promise<Uint8Array> {
  const runtime = runtimeFiles(runtimeOf(language), handler)
  const wrapper = await Promise.all([...runtime].map(([path, content]) => packFile(path, content)))
  return writeZip([...files.values(), ...wrapper])
}

function codeProblem(reason: string, cause?: unknown): InvalidRequestError {
  return invalidField("/code", reason, cause)
}

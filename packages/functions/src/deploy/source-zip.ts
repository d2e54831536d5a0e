import { InvalidRequestError, MB } from "@sealway/kernel"
import { isModuleOf, LANGUAGE_FACTS, type Language } from "../host/language.ts"
import { RUNTIME_FOLDER, runtimeFiles } from "../runtimes/runtime-files.ts"
import { InvalidZipError } from "../zip/invalid-zip-error.ts"
import { listZip } from "../zip/list-zip.ts"
import type { PackedFile } from "../zip/packed-file.ts"
import { unpackFile } from "../zip/unpack-file.ts"
import { packFile, writeZip } from "../zip/write-zip.ts"

/** The largest zip that can be sent, in bytes. */
export const MAX_ZIP_BYTES = 3 * MB
/** What it may hold, unpacked. */
export const MAX_UNPACKED_BYTES = 50 * MB
/** Files and folders. */
export const MAX_FILES = 5_000
const MAX_NAME_CHARACTERS = 255

/** The files of a function as they are in its zip, by their paths. They can be unpacked. */
export type SourceFiles = ReadonlyMap<string, PackedFile>

/**
 * Reads what a customer sends. What a zip says of itself is compared with what it holds: everything is unpacked once,
 * with turns of the event loop in between, and thrown away.
 *
 * @throws InvalidRequestError pointing at `/code` when it is no zip, too much, or names files as none may be named
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

/** @throws InvalidZipError when it is not what the zip says */
async function checkContent(file: PackedFile): Promise<void> {
  for await (const _ of unpackFile(file));
}

function nameProblem(name: string): string | null {
  if (name.length > MAX_NAME_CHARACTERS) {
    return `A file of the zip has a name of more than ${MAX_NAME_CHARACTERS} characters.`
  }
  if (/\p{Cc}/u.test(name)) return "A file of the zip has a control character in its name."
  if (name.split("/")[0] === RUNTIME_FOLDER) {
    return `A file of the zip is in ${RUNTIME_FOLDER}/, which is reserved.`
  }
  return null
}

/** @throws InvalidRequestError pointing at `/handler` when the file is not there, or nothing that the language loads */
export function requireHandler(files: SourceFiles, language: Language, handler: string): void {
  if (!isModuleOf(language, handler)) {
    throw fieldProblem("/handler", "The handler is not a file of the language: .mjs, .cjs or .js; or .py.")
  }
  if (!files.has(handler)) throw fieldProblem("/handler", "The zip holds no file of the handler's name.")
}

/** The zip that is deployed: a function's files as they were packed, and the wrapper that calls them. */
export async function writeDeploymentZip(
  files: SourceFiles,
  language: Language,
  handler: string,
): Promise<Uint8Array> {
  const runtime = runtimeFiles(LANGUAGE_FACTS[language].wrapper, handler)
  const wrapper = await Promise.all([...runtime].map(([path, content]) => packFile(path, content)))
  return writeZip([...files.values(), ...wrapper])
}

function codeProblem(reason: string, cause?: unknown): InvalidRequestError {
  return fieldProblem("/code", reason, cause)
}

function fieldProblem(pointer: string, reason: string, cause?: unknown): InvalidRequestError {
  return new InvalidRequestError(reason, { fields: [{ pointer, reason }], cause })
}

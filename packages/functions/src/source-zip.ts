import { InvalidRequestError } from "@sealway/platform"
import { unzipSync, type Zippable, zipSync } from "fflate"
import { isModuleOf, LANGUAGE_FACTS, type Language } from "./language.ts"
import { RUNTIME_FOLDER, runtimeFiles } from "./runtimes/runtime-files.ts"

/** The largest zip that can be sent, in bytes. */
export const MAX_ZIP_BYTES = 3_000_000
/** What it may hold, unpacked. */
export const MAX_UNPACKED_BYTES = 50_000_000
export const MAX_FILES = 5_000
const MAX_NAME_CHARACTERS = 255

/** The files of a function, by their paths in its zip. */
export type SourceFiles = ReadonlyMap<string, Uint8Array>

/**
 * Unpacks what a customer sends. What a zip says of itself is believed only as far as that is harmless: sizes are
 * added up before anything is unpacked, and nothing is unpacked beyond the size that its entry tells.
 *
 * @throws InvalidRequestError pointing at `/code` when it is no zip, too much, or names files as none may be named
 */
export function readSourceZip(zip: Uint8Array): SourceFiles {
  if (zip.length > MAX_ZIP_BYTES) throw codeProblem(`The zip is larger than ${MAX_ZIP_BYTES / 1e6} MB.`)
  const names = new Set<string>()
  let unpackedBytes = 0
  let entries = 0
  const admit = ({ name, originalSize, compression }: EntryFacts): boolean => {
    entries++
    unpackedBytes += originalSize
    if (entries > MAX_FILES) throw codeProblem(`The zip holds more than ${MAX_FILES} files.`)
    if (unpackedBytes > MAX_UNPACKED_BYTES) {
      throw codeProblem(`The zip holds more than ${MAX_UNPACKED_BYTES / 1e6} MB.`)
    }
    if (name.endsWith("/")) return false
    const problem = nameProblem(name)
    if (problem !== null) throw codeProblem(problem)
    if (names.has(name)) throw codeProblem("The zip holds two files of one name.")
    if (compression !== 0 && compression !== 8) {
      throw codeProblem("The zip is packed by a method other than Deflate.")
    }
    names.add(name)
    return true
  }
  try {
    return new Map(Object.entries(unzipSync(zip, { filter: admit })))
  } catch (error) {
    if (error instanceof InvalidRequestError) throw error
    throw codeProblem("The code is not a zip, or a broken one.", error)
  }
}

interface EntryFacts {
  readonly name: string
  readonly originalSize: number
  readonly compression: number
}

function nameProblem(name: string): string | null {
  const parts = name.split("/")
  if (name.length > MAX_NAME_CHARACTERS) {
    return `A file of the zip has a name of more than ${MAX_NAME_CHARACTERS} characters.`
  }
  if (parts.some((part) => part === "" || part === "." || part === ".." || part === "__proto__")) {
    return "A file of the zip has a name that leads out of it."
  }
  if (/[\\\p{Cc}]/u.test(name)) return "A file of the zip has a backslash or a control character in its name."
  if (parts[0] === RUNTIME_FOLDER) return `A file of the zip is in ${RUNTIME_FOLDER}/, which is reserved.`
  return null
}

/** @throws InvalidRequestError pointing at `/handler` when the file is not there, or nothing that the language loads */
export function requireHandler(files: SourceFiles, language: Language, handler: string): void {
  if (!isModuleOf(language, handler)) {
    throw fieldProblem("/handler", "The handler is not a file of the language: .mjs, .cjs or .js; or .py.")
  }
  if (!files.has(handler)) throw fieldProblem("/handler", "The zip holds no file of the handler's name.")
}

/** 1980, where a zip's time begins; the same for all, so that the same files make the same zip. */
const MTIME = "1980-01-01T00:00:00"
/** Everybody may read: the function runs as another user than the one it is unpacked by. */
const READABLE = 0o644 << 16
const UNIX = 3

/** The zip that is deployed: a function's files, and the wrapper that calls them. */
export function writeDeploymentZip(files: SourceFiles, language: Language, handler: string): Uint8Array {
  const all: Zippable = Object.create(null)
  for (const [name, bytes] of [...files, ...runtimeFiles(LANGUAGE_FACTS[language].wrapper, handler)]) {
    all[name] = [bytes, { mtime: MTIME, os: UNIX, attrs: READABLE }]
  }
  return zipSync(all, { level: 6 })
}

function codeProblem(reason: string, cause?: unknown): InvalidRequestError {
  return fieldProblem("/code", reason, cause)
}

function fieldProblem(pointer: string, reason: string, cause?: unknown): InvalidRequestError {
  return new InvalidRequestError(reason, { fields: [{ pointer, reason }], cause })
}

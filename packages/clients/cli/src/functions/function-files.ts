import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { MB } from "@sealway/kernel"
import { type Zippable, zipSync } from "fflate"
import { UsageFailure } from "../terminal/failures.ts"

/** The service's limit. */
const MAX_ZIP_BYTES = 3 * MB
const MAX_FILES = 5_000
const MAX_TOTAL_BYTES = 50 * MB

/** Never part of a function, at any level: tools' own files, and possible secrets. */
const IGNORED_NAMES = new Set([
  ".git",
  ".hg",
  ".svn",
  ".sealway",
  ".DS_Store",
  ".idea",
  ".vscode",
  ".npmrc",
  ".pypirc",
  ".bin",
  ".venv",
  "venv",
  "__pycache__",
  ".pytest_cache",
  ".mypy_cache",
  ".ruff_cache",
  "function.toml",
])
const IGNORED_PATTERN = /^\.env(?:\.|$)|\.(?:pyc|log)$/

/** The files of a folder, sorted, by their paths in it with `/`. */
export type FunctionFiles = ReadonlyMap<string, Uint8Array>

/**
 * Reads the files of a function. Links are left out.
 *
 * @param ignored further names to leave out at the top level
 * @throws UsageFailure when there is more than a function may have
 */
export async function readFunctionFiles(
  folder: string,
  ignored: readonly string[] = [],
): Promise<FunctionFiles> {
  const files = new Map<string, Uint8Array>()
  let totalBytes = 0
  async function visit(path: string): Promise<void> {
    const entries = await readdir(join(folder, path), { withFileTypes: true })
    for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
      const { name } = entry
      if (IGNORED_NAMES.has(name) || IGNORED_PATTERN.test(name)) continue
      if (path === "" && ignored.includes(name)) continue
      const inside = path === "" ? name : `${path}/${name}`
      if (entry.isDirectory()) await visit(inside)
      else if (entry.isFile()) {
        const bytes = await readFile(join(folder, inside))
        totalBytes += bytes.length
        files.set(inside, bytes)
        if (files.size > MAX_FILES) throw new UsageFailure(`The function has more than ${MAX_FILES} files.`)
        if (totalBytes > MAX_TOTAL_BYTES) {
          throw new UsageFailure(`The function is larger than ${MAX_TOTAL_BYTES / MB} MB.`)
        }
      }
    }
  }
  await visit("")
  return files
}

/** The earliest time in a zip; always the same, so that the same files give the same zip. */
const MTIME = "1980-01-01T00:00:00"
const READABLE = 0o644 << 16
const UNIX = 3

/**
 * Zips files, with the same bytes for the same files.
 *
 * @throws UsageFailure when it is larger than the service accepts
 */
export function zipFunctionFiles(files: FunctionFiles): Uint8Array {
  const entries: Zippable = Object.create(null)
  for (const name of [...files.keys()].sort()) {
    const bytes = files.get(name)
    if (bytes !== undefined) entries[name] = [bytes, { mtime: MTIME, os: UNIX, attrs: READABLE }]
  }
  const zip = zipSync(entries, { level: 9 })
  if (zip.length <= MAX_ZIP_BYTES) return zip
  throw new UsageFailure(
    `The function's zip has ${(zip.length / MB).toFixed(1)} MB, including its dependencies. The limit is ${MAX_ZIP_BYTES / MB} MB.`,
  )
}

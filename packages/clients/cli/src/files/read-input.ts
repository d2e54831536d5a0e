import { readFile, stat } from "node:fs/promises"
import { resolve } from "node:path"
import { errorCodeOf, KB, MB } from "@sealway/kernel"
import { UsageFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"
import { readBounded } from "../terminal/read-bounded.ts"

/** More than any endpoint accepts. */
export const MAX_INPUT_BYTES = 64 * MB

/**
 * Reads a file, or standard input for `-`.
 *
 * @throws UsageFailure when there is no such file, or it is too large
 */
export async function readInput(
  { stdin, stderr, folder }: CliHost,
  file: string,
  maxBytes = MAX_INPUT_BYTES,
): Promise<Buffer<ArrayBuffer>> {
  if (file === "-") {
    if (stdin.isTTY === true) stderr.write("Reading from the terminal; press Ctrl-D to end.\n")
    const bytes = await readBounded(stdin, maxBytes)
    if (bytes === null) throw tooLarge(maxBytes)
    return bytes
  }
  try {
    const path = resolve(folder, file)
    if ((await stat(path)).size > maxBytes) throw tooLarge(maxBytes)
    return await readFile(path)
  } catch (error) {
    if (error instanceof UsageFailure) throw error
    throw new UsageFailure(`${file} cannot be read${reasonOf(error)}.`, { cause: error })
  }
}

/** Returns why a file could not be used, in brackets. */
export function reasonOf(error: unknown): string {
  const code = errorCodeOf(error)
  if (code === "") return ""
  if (code === "ENOENT") return ": no such file"
  if (code === "EACCES") return ": permission denied"
  if (code === "EISDIR") return ": it is a folder"
  if (code === "ENOSPC") return ": the disk is full"
  return ` (${code})`
}

function tooLarge(maxBytes: number): UsageFailure {
  const limit = maxBytes < MB ? `${maxBytes / KB} KB` : `${maxBytes / MB} MB`
  return new UsageFailure(`The input is larger than ${limit}.`)
}

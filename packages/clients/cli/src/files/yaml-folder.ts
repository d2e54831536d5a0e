import { readdir, stat } from "node:fs/promises"
import { basename, join, relative, resolve } from "node:path"
import { MB } from "@sealway/kernel"
import { CommandFailure, UsageFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"
import { readInput, reasonOf } from "./read-input.ts"
import type { YamlDocument } from "./yaml-file.ts"

const YAML = /\.ya?ml$/
const MAX_FILES = 1_000
const MAX_FILE_BYTES = 4 * MB

/**
 * Reads the documents of YAML files, in order.
 *
 * @throws UsageFailure when a file cannot be read, or is not YAML
 */
export async function readYamlFiles(host: CliHost, names: readonly string[]): Promise<YamlDocument[]> {
  const { parseYamlFile } = await import("./yaml-file.ts")
  const read = names.map(async (name) => parseYamlFile(name, await readInput(host, name, MAX_FILE_BYTES)))
  return (await Promise.all(read)).flat()
}

/**
 * Finds the YAML files in a folder and its subfolders, except hidden ones; or one file. Names are relative to what the
 * command was given, in the same order on every machine.
 *
 * @throws UsageFailure when there is no such folder or file
 */
export async function findYamlFiles({ folder }: CliHost, root: string): Promise<string[]> {
  const path = resolve(folder, root)
  try {
    if ((await stat(path)).isFile()) return [root]
    const found: string[] = []
    for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
      const name = relative(path, join(entry.parentPath, entry.name))
      if (!YAML.test(basename(name)) || name.split(/[/\\]/).some((part) => part.startsWith("."))) continue
      // A link counts as its target: silently ignored policies would look like deleted ones.
      if (entry.isFile() || (entry.isSymbolicLink() && (await stat(join(path, name))).isFile())) {
        found.push(join(root, name))
      }
      if (found.length > MAX_FILES) throw new UsageFailure(`${root} has more than ${MAX_FILES} files.`)
    }
    return found.sort()
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    throw new UsageFailure(`${root} cannot be read${reasonOf(error)}.`, { cause: error })
  }
}

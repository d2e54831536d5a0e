import { randomBytes } from "node:crypto"
import { lchown, lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { InvalidZipError, unpackFile, type ZipEntry } from "@sealway/functions"
import { errorCodeOf } from "@sealway/kernel"
import { LAMBDA_RUNTIMES } from "@sealway/ports"
import * as z from "zod"
import { createFolderDurably, syncFolder, writeFileDurably } from "../write-file-durably.ts"

/** What is stored about a function besides its code. */
const functionConfiguration = z.object({
  name: z.string().regex(/^[a-zA-Z0-9-_]{1,64}$/),
  runtime: z.enum(Object.values(LAMBDA_RUNTIMES)),
  handler: z.string(),
  timeoutSeconds: z.int().min(1).max(900),
  memoryMb: z.int().min(128).max(10_240),
})

export type FunctionConfiguration = z.infer<typeof functionConfiguration>

/** What runs all versions of a language. */
export type RuntimeFamily = "node" | "python"

/** The versions are those of this machine. */
export function runtimeFamilyOf(runtime: FunctionConfiguration["runtime"]): RuntimeFamily {
  return runtime.startsWith("nodejs") ? "node" : "python"
}

/** A function that can be invoked. */
export interface StoredFunction {
  readonly configuration: FunctionConfiguration
  /** The absolute path of its unpacked code. */
  readonly codeFolder: string
}

/** The functions' code and configuration, in one folder each: `<name>.<random>/configuration.json` and `…/code/`. */
export interface FunctionStore {
  readonly functions: ReadonlyMap<string, StoredFunction>
  /**
   * Adds a function whose name must be free. Resolves once it survives a crash.
   *
   * @throws ZodError when the configuration is not valid, InvalidZipError
   */
  add(configuration: FunctionConfiguration, files: readonly ZipEntry[]): Promise<StoredFunction>
  /**
   * Permanently removes a function from the list. Its code stays until `removeCode`, because runs may still need it.
   */
  forget(stored: StoredFunction): Promise<void>
  removeCode(stored: StoredFunction): Promise<void>
  close(): Promise<void>
}

const CONFIGURATION_FILE = "configuration.json"

/**
 * @param folder null: a temporary folder, removed on `close`
 * @param owner the user and group that own the code. Null: the user of this process
 */
export async function openFunctionStore(folder: string | null, owner: number | null): Promise<FunctionStore> {
  const root = folder ?? (await mkdtemp(join(tmpdir(), "sealway-functions-")))
  await createFolderDurably(root)
  const functions = await readFunctions(root)
  for (const { codeFolder } of functions.values()) await giveTo(codeFolder, owner)
  const folderOf = ({ codeFolder }: StoredFunction) => dirname(codeFolder)
  return {
    functions,

    async add(wanted, files) {
      const configuration = functionConfiguration.parse(wanted)
      const own = join(root, `${configuration.name}.${randomBytes(6).toString("hex")}`)
      const stored = { configuration, codeFolder: join(own, "code") }
      try {
        await unpack(files, stored.codeFolder)
        await giveTo(stored.codeFolder, owner)
        // Last: a folder without it is not a function.
        await writeFileDurably(join(own, CONFIGURATION_FILE), Buffer.from(JSON.stringify(configuration)))
      } catch (error) {
        await rm(own, { recursive: true, force: true })
        throw error
      }
      functions.set(configuration.name, stored)
      return stored
    },

    async forget(stored) {
      functions.delete(stored.configuration.name)
      await rm(join(folderOf(stored), CONFIGURATION_FILE), { force: true })
      await syncFolder(folderOf(stored))
    },

    async removeCode(stored) {
      await rm(folderOf(stored), { recursive: true, force: true })
    },

    async close() {
      if (folder === null) await rm(root, { recursive: true, force: true })
    },
  }
}

async function readFunctions(root: string): Promise<Map<string, StoredFunction>> {
  const functions = new Map<string, StoredFunction>()
  for (const name of await readdir(root)) {
    const own = join(root, name)
    const configuration = await readConfiguration(join(own, CONFIGURATION_FILE))
    // Left by a crash between two steps, or deleted while it ran.
    if (configuration === null) await rm(own, { recursive: true, force: true })
    else functions.set(configuration.name, { configuration, codeFolder: join(own, "code") })
  }
  return functions
}

async function readConfiguration(path: string): Promise<FunctionConfiguration | null> {
  try {
    return functionConfiguration.parse(JSON.parse(await readFile(path, "utf8")))
  } catch {
    return null
  }
}

/**
 * Changes the owner of the content before that of the folder: a folder with the new owner contains nothing of
 * another's.
 */
async function giveTo(folder: string, owner: number | null): Promise<void> {
  if (owner === null || (await lstat(folder)).uid === owner) return
  for (const each of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, each.name)
    if (each.isDirectory()) await giveTo(path, owner)
    else await lchown(path, owner, owner)
  }
  await lchown(folder, owner, owner)
}

/** Resolves once everything survives a power cut. */
async function unpack(files: readonly ZipEntry[], folder: string): Promise<void> {
  const folders = new Set([dirname(dirname(folder)), dirname(folder), folder])
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const file of files) {
    const target = join(folder, file.path)
    try {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      for (let each = dirname(target); !folders.has(each); each = dirname(each)) folders.add(each)
      // wx: never follows or replaces an existing file.
      const mode = file.executable ? 0o700 : 0o600
      await writeFile(target, unpackFile(file), { flag: "wx", mode, flush: true })
    } catch (error) {
      if (!isPathError(error)) throw error
      throw new InvalidZipError("The zip contains a path that cannot be unpacked.", { cause: error })
    }
  }
  for (const each of folders) await syncFolder(each)
}

/** A file where another path has a folder, two spellings of one path, or a name too long for the file system. */
function isPathError(error: unknown): boolean {
  return ["EEXIST", "ENOTDIR", "EISDIR", "ENAMETOOLONG", "EILSEQ", "EINVAL"].includes(errorCodeOf(error))
}

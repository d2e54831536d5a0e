import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { promisify } from "node:util"
import * as z from "zod"

/** A program that runs functions, and what it reads on the machine. Absolute paths, which may be links. */
export interface Interpreter {
  readonly executable: string
  /** Its libraries: files, and folders with everything in them. */
  readonly libraries: readonly string[]
}

/** Matches libraries in the memory map of a process by their names: anything else that is mapped may be data. */
const LIBRARY_LINE = /^\S+ \S+ \S+ \S+ \S+ +(\/.*\/(?:lib|ld-)[^/\n]*\.so[^/\n]*)$/gm

/** Describes the Node.js that runs this process. */
export async function nodeInterpreter(): Promise<Interpreter> {
  const map = await readFile("/proc/self/maps", "utf8").catch(() => "")
  return { executable: process.execPath, libraries: librariesOf(map) }
}

const PYTHON_SCRIPT = `
import json, os, sys
if sys.version_info >= (3, 11):
    for name in ("ctypes", "ssl", "hashlib", "zlib", "bz2", "lzma", "sqlite3"):
        try:
            __import__(name)
        except ImportError:
            pass
    try:
        with open("/proc/self/maps") as file:
            maps = file.read()
    except OSError:
        maps = ""
    paths = [*sys.path, os.path.join(sys.prefix, "pyvenv.cfg")]
    print(json.dumps({"executable": sys.executable, "paths": paths, "maps": maps}))`

const pythonSchema = z.object({ executable: z.string().min(1), paths: z.array(z.string()), maps: z.string() })

/**
 * Finds the Python that runs functions. Returns null when there is none of version 3.11 or newer.
 *
 * @param command a path, or a name to look up in PATH
 */
export async function findPython(command: string): Promise<Interpreter | null> {
  try {
    const { stdout } = await promisify(execFile)(command, ["-I", "-c", PYTHON_SCRIPT], { timeout: 10_000 })
    const { executable, paths, maps } = pythonSchema.parse(JSON.parse(stdout))
    return { executable, libraries: [...paths.filter((path) => existsSync(path)), ...librariesOf(maps)] }
  } catch {
    return null
  }
}

function librariesOf(map: string): string[] {
  return [...new Set([...map.matchAll(LIBRARY_LINE)].map(([, path = ""]) => path))]
}

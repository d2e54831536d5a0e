import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"

/** A command of a Python package, that somebody has installed or not. */
export interface PythonTool {
  /** What `pip` installs. */
  readonly packageName: string
  /** What it is called by. */
  readonly command: string
  /** The variable that may say where it is. */
  readonly variable: string
  /** Arguments by which it shows that it runs. Default: `--version`. */
  readonly check?: readonly string[]
}

/** Where tools are looked for that are installed for this project alone. Git ignores it. */
const CACHE = join("node_modules", ".cache")

/**
 * Finds a tool: where its variable says, else in a virtual environment of this project's, else on the PATH.
 *
 * @returns null when it is in none of these, or does not run
 */
export function findPythonTool(
  { packageName, command, variable, check = ["--version"] }: PythonTool,
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  const own = join(root, CACHE, packageName, "bin", command)
  const wanted = environment[variable] ?? (existsSync(own) ? own : command)
  const { status } = spawnSync(wanted, [...check], { stdio: "ignore", env: { ...environment } })
  return status === 0 ? wanted : null
}

/** How a tool is installed where it is looked for. */
export function installationOf({ packageName, variable }: PythonTool): string {
  const folder = `node_modules/.cache/${packageName}`
  return `python3 -m venv ${folder} && ${folder}/bin/pip install ${packageName}   (or say in ${variable} where it is)`
}

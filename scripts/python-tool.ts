import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"

/** A command of a Python package, which may be installed. */
export interface PythonTool {
  /** The name for `pip install`, and of its folder. */
  readonly packageName: string
  /** What is installed. Default: the package alone. */
  readonly packages?: readonly string[]
  /** The name of the command. */
  readonly command: string
  /** The variable that may say where it is. */
  readonly variable: string
  /** Arguments for a test run. Default: `--version`. */
  readonly check?: readonly string[]
}

/** Tools installed for this project alone are found here. Git ignores it. */
const CACHE = join("node_modules", ".cache")

/**
 * Finds a tool: where its variable says, else in a virtual environment of this project, else on the PATH.
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

/** Says how to install a tool where it is looked for. */
export function installationOf({ packageName, packages = [packageName], variable }: PythonTool): string {
  const folder = `node_modules/.cache/${packageName}`
  return `python3 -m venv ${folder} && ${folder}/bin/pip install ${packages.join(" ")}   (or say in ${variable} where it is)`
}

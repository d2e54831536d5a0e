import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"

/** A command of a Python package, which may be installed. */
export interface PythonTool {
  /** The name of its folder. */
  readonly packageName: string
  /** What `pip install` installs, such as `name==1.2.3`: the versions that the project is tested with. */
  readonly requirements: readonly string[]
  /** The name of the command. */
  readonly command: string
  /** The variable that may say where it is. */
  readonly variable: string
  /** Arguments for a test run. Default: `--version`. */
  readonly check?: readonly string[]
}

type Environment = Readonly<Record<string, string | undefined>>

/** Tools installed for this project alone are found here. Git ignores it. */
const CACHE = "node_modules/.cache"

/**
 * Finds a tool: where its variable says, else in a virtual environment of this project, else on the PATH.
 *
 * @returns null when it is in none of these, or does not run
 */
export function findPythonTool(
  { packageName, command, variable, check = ["--version"] }: PythonTool,
  root: string,
  environment: Environment,
): string | null {
  const own = join(root, CACHE, packageName, "bin", command)
  const wanted = environment[variable] ?? (existsSync(own) ? own : command)
  const { status } = spawnSync(wanted, [...check], { stdio: "ignore", env: { ...environment } })
  return status === 0 ? wanted : null
}

/**
 * Installs a tool into the project's own environment, from the index of packages that pip knows.
 *
 * @returns the same as `findPythonTool`: null when Python or the index is missing
 */
export function installPythonTool(tool: PythonTool, root: string, environment: Environment): string | null {
  const folder = join(root, CACHE, tool.packageName)
  const run = (command: string, args: readonly string[]) =>
    spawnSync(command, [...args], { stdio: "ignore", env: { ...environment } }).status === 0
  const isInstalled =
    run("python3", ["-m", "venv", folder]) &&
    run(join(folder, "bin", "pip"), ["install", "--quiet", ...tool.requirements])
  return isInstalled ? findPythonTool(tool, root, environment) : null
}

/** Says how to install a tool where it is looked for. */
export function installationOf({ packageName, requirements, variable }: PythonTool): string {
  const folder = `${CACHE}/${packageName}`
  return `python3 -m venv ${folder} && ${folder}/bin/pip install ${requirements.join(" ")}   (or say in ${variable} where it is)`
}

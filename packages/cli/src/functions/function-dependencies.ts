import { spawn } from "node:child_process"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { CommandFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"
import type { Output } from "../terminal/output.ts"
import { type FunctionFiles, readFunctionFiles } from "./function-files.ts"
import type { FunctionLanguage } from "./function-toml.ts"

/** How much of what an installer prints is shown when it fails. */
const MAX_TAIL_CHARACTERS = 4_000

interface Installer {
  readonly command: string
  readonly args: readonly string[]
  /** Made anew by the installer: what the folder has of it is left out. */
  readonly replaces: readonly string[]
}

/** The installer that a function asks for; null when it brings all that it needs. */
function installerOf(language: FunctionLanguage, names: ReadonlySet<string>): Installer | null {
  if (language.startsWith("node") && names.has("package-lock.json")) {
    const args = ["ci", "--omit=dev", "--no-audit", "--no-fund"]
    return { command: "npm", args, replaces: ["node_modules"] }
  }
  if (language.startsWith("python") && names.has("requirements.txt")) {
    const args = ["-m", "pip", "install", "--requirement", "requirements.txt", "--target", "."]
    return {
      command: "python3",
      args: [...args, "--disable-pip-version-check", "--no-compile"],
      replaces: [],
    }
  }
  return null
}

/**
 * The files of a function with what they depend on, which is installed into a copy: the folder itself stays as it is.
 *
 * @throws CommandFailure when dependencies cannot be installed
 */
export async function readWithDependencies(
  host: CliHost,
  output: Output,
  folder: string,
  language: FunctionLanguage,
): Promise<FunctionFiles> {
  const topLevel = new Set((await readFunctionFiles(folder, ["node_modules"])).keys())
  const installer = installerOf(language, topLevel)
  if (installer === null) return readFunctionFiles(folder)
  const files = await readFunctionFiles(folder, installer.replaces)
  const copy = await mkdtemp(join(tmpdir(), "sealway-function-"))
  try {
    for (const [name, bytes] of files) {
      await mkdir(dirname(join(copy, name)), { recursive: true })
      await writeFile(join(copy, name), bytes)
    }
    output.note(`Installing dependencies: ${[installer.command, ...installer.args].join(" ")}`)
    await install(host, output, copy, installer)
    return await readFunctionFiles(copy)
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

async function install(
  { env, platform, signal }: CliHost,
  output: Output,
  folder: string,
  { command, args }: Installer,
): Promise<void> {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...env },
    signal,
    stdio: ["ignore", "pipe", "pipe"],
    // There npm is a script, which only a shell runs. No argument comes from outside.
    shell: platform === "win32",
  })
  let tail = ""
  const show = (chunk: Buffer) => {
    tail = (tail + chunk.toString()).slice(-MAX_TAIL_CHARACTERS)
    const line = tail.trimEnd().split("\n").at(-1)
    if (line) output.progress(line)
  }
  child.stdout.on("data", show)
  child.stderr.on("data", show)
  const exitCode = await new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null))
    child.once("close", resolve)
  })
  signal.throwIfAborted()
  if (exitCode === 0) return
  throw new CommandFailure(
    "dependencies",
    exitCode === null ? `${command} cannot be run.` : `${command} failed with status ${exitCode}.`,
    undefined,
    { details: tail.trimEnd().split("\n") },
  )
}

import { type ChildProcess, execFile, spawn } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { EMBEDDED_REGION } from "../credentials.ts"
import { RUNTIME_LANGUAGES } from "./function-configuration.ts"
import type { StoredFunction } from "./function-store.ts"

const RUNNERS = join(import.meta.dirname, "runners")
const NODE_RUNNER = join(RUNNERS, "node-runner.mjs")
const PYTHON_RUNNER = join(RUNNERS, "python-runner.py")
const IS_WINDOWS = process.platform === "win32"

/** What a process may hold beyond its function's memory before the kernel says no: thread stacks, the interpreter itself. */
const SLACK_MB = 1_024

/**
 * Sets limits that Node.js cannot set for a child, and becomes the runner: no core dumps (they would hold decrypted values),
 * no files written, memory (in KiB); where Linux offers it, an end with this process, however this process ends.
 */
const LAUNCHER = `
ulimit -c 0 2>/dev/null
ulimit -f 0 2>/dev/null
ulimit -d "$1" 2>/dev/null
shift
if setpriv --pdeathsig KILL --no-new-privs true 2>/dev/null
then exec setpriv --pdeathsig KILL --no-new-privs "$@"
else exec "$@"
fi`

/** Starts a process for one instance of a function. Its file descriptor 3 is the channel of frames.ts. */
export function launchInstance({ configuration, codeFolder }: StoredFunction, python: string): ChildProcess {
  const { name, runtime, handler, memoryMb } = configuration
  const runner =
    RUNTIME_LANGUAGES.get(runtime) === "node"
      ? nodeCommand(codeFolder, memoryMb)
      : [python, "-I", "-B", "-u", PYTHON_RUNNER]
  const limitKib = String((memoryMb + SLACK_MB) * 1024)
  const [command = "", ...args] = IS_WINDOWS ? runner : ["/bin/sh", "-c", LAUNCHER, "sh", limitKib, ...runner]
  return spawn(command, args, {
    cwd: codeFolder,
    // A group of its own, to be killed with all that belongs to it.
    detached: !IS_WINDOWS,
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    // Nothing of this process's environment: it may hold credentials.
    env: {
      _HANDLER: handler,
      AWS_DEFAULT_REGION: EMBEDDED_REGION,
      AWS_EXECUTION_ENV: `AWS_Lambda_${runtime}`,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
      AWS_LAMBDA_FUNCTION_NAME: name,
      AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
      AWS_REGION: EMBEDDED_REGION,
      LAMBDA_TASK_ROOT: codeFolder,
      LANG: "en_US.UTF-8",
      PATH: "/usr/local/bin:/usr/bin:/bin",
      TZ: ":UTC",
      ...(IS_WINDOWS && { SystemRoot: "C:\\Windows" }),
    },
  })
}

/** Reads its own code and the runner, and nothing else; starts no process, thread or native addon. The network is open, as on Lambda. */
function nodeCommand(codeFolder: string, memoryMb: number): string[] {
  const network = process.allowedNodeEnvironmentFlags.has("--allow-net") ? ["--allow-net"] : []
  return [
    process.execPath,
    "--permission",
    ...network,
    `--allow-fs-read=${codeFolder}`,
    `--allow-fs-read=${NODE_RUNNER}`,
    `--max-old-space-size=${Math.floor(memoryMb * 0.9)}`,
    NODE_RUNNER,
  ]
}

/**
 * The Python that runs functions, as an absolute path. Null when there is none of 3.11 or newer.
 *
 * @param command a path, or a name to be found by PATH
 */
export async function findPython(command: string): Promise<string | null> {
  const script = "import sys; print(sys.executable if sys.version_info >= (3, 11) else '')"
  try {
    const { stdout } = await promisify(execFile)(command, ["-I", "-c", script], { timeout: 10_000 })
    return stdout.trim() || null
  } catch {
    return null
  }
}

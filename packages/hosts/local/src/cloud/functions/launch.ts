import { type ChildProcess, spawn } from "node:child_process"
import { devNull } from "node:os"
import { join } from "node:path"
import { EMBEDDED_REGION } from "../credentials.ts"
import type { Confinement } from "./confinement/confinement.ts"
import type { Interpreter } from "./confinement/interpreter.ts"
import { runtimeFamilyOf, type StoredFunction } from "./function-store.ts"

const RUNNERS = join(import.meta.dirname, "runners")
const NODE_RUNNER = join(RUNNERS, "node-runner.mjs")
const PYTHON_RUNNER = join(RUNNERS, "python-runner.py")
const IS_WINDOWS = process.platform === "win32"

/**
 * How much a process may map beyond its function's memory before the kernel refuses: thread stacks, the interpreter
 * itself.
 */
const SLACK_MB = 1_024

/**
 * Starts a process for one instance of a function. Its file descriptor 3 is the channel of instance.ts.
 *
 * @param confinement null: the operator allows unconfined functions
 */
export function launchInstance(
  { configuration, codeFolder }: StoredFunction,
  interpreter: Interpreter,
  confinement: Confinement | null,
): ChildProcess {
  const { name, runtime, handler, memoryMb } = configuration
  const [runner, parameters] =
    runtimeFamilyOf(runtime) === "node"
      ? [NODE_RUNNER, nodeOptions(codeFolder, memoryMb)]
      : [PYTHON_RUNNER, ["-I", "-B", "-u"]]
  const launch = {
    interpreter,
    arguments: [...parameters, runner],
    folder: codeFolder,
    readable: [codeFolder, runner],
    maxDataBytes: (memoryMb + SLACK_MB) * 1024 ** 2,
    // Nothing of this process's environment, which may contain credentials.
    environment: {
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
  }
  return confinement === null ? launchUnconfined(launch) : confinement.launch(launch)
}

/**
 * It can only read its own code and the runner, write what nobody reads, and starts no process, thread or native addon. The network is open, as
 * on Lambda. SQLite is off, because it opens files regardless of the permissions.
 */
function nodeOptions(codeFolder: string, memoryMb: number): string[] {
  const optional = ["--allow-net", "--disable-sigusr1", "--no-experimental-sqlite"]
  return [
    "--permission",
    ...optional.filter((option) => process.allowedNodeEnvironmentFlags.has(option.replace("--no-", "--"))),
    `--allow-fs-read=${codeFolder}`,
    `--allow-fs-read=${NODE_RUNNER}`,
    `--allow-fs-write=${devNull}`,
    `--max-old-space-size=${Math.floor(memoryMb * 0.9)}`,
  ]
}

/**
 * Sets limits that Node.js cannot set for a child, then becomes the runner: no core dumps, no files written, memory (in
 * KiB).
 */
const SHELL_LAUNCHER = `
ulimit -c 0 2>/dev/null
ulimit -f 0 2>/dev/null
ulimit -d "$1" 2>/dev/null
shift
if setpriv --pdeathsig KILL --no-new-privs true 2>/dev/null
then exec setpriv --pdeathsig KILL --no-new-privs "$@"
else exec "$@"
fi`

function launchUnconfined(launch: Parameters<Confinement["launch"]>[0]): ChildProcess {
  const { interpreter, folder, environment, maxDataBytes } = launch
  const program = [interpreter.executable, ...launch.arguments]
  const limit = String(maxDataBytes / 1024)
  const [command = "", ...parameters] = IS_WINDOWS
    ? program
    : ["/bin/sh", "-c", SHELL_LAUNCHER, "sh", limit, ...program]
  return spawn(command, parameters, {
    cwd: folder,
    // A separate process group, so that it can be killed with all its children.
    detached: !IS_WINDOWS,
    windowsHide: true,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    env: environment,
  })
}

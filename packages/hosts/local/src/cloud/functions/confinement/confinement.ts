import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { RuntimeFamily } from "../function-store.ts"
import { closeHandle } from "../network/close-handle.ts"
import { type FunctionNetwork, isGuarded } from "../network/function-network.ts"
import { type Interpreter, nodeInterpreter } from "./interpreter.ts"
import {
  CONFINED_LEVELS,
  type ConfinedLevel,
  encodePlan,
  FUNCTION_USER,
  type Launch,
  type LaunchNetwork,
} from "./launch-plan.ts"
import type { Processor } from "./syscalls.ts"

export type ConfinementLevel = ConfinedLevel | "none"

/** How this machine confines functions. */
export interface Confinement {
  readonly level: ConfinementLevel
  /** What confined functions may connect to. `host` where nothing restricts it. */
  readonly network: FunctionNetwork
  /** The languages whose functions cannot reach any other process, or any file except those they may read. */
  readonly languages: readonly RuntimeFamily[]
  /** The user and group that must own the code of functions. Null: the user of this process. */
  readonly owner: number | null
  /**
   * Starts a confined interpreter. Descriptors 0 to 3 are pipes. With a guarded network, `serveNetwork` must answer
   * its messages. Throws TypeError at the level `none`.
   */
  launch(launch: Omit<Launch, "level" | "network">): ChildProcess
}

const LAUNCHER = join(import.meta.dirname, "launcher.pl")
const TRIAL_TIMEOUT_MS = 5_000
const PROCESSORS: ReadonlyMap<string, Processor> = new Map([
  ["x64", "x64"],
  ["arm64", "arm64"],
])
/** Without Landlock or a separate view of the files, only Node.js's permission model protects files from a function. */
const LANGUAGES: Readonly<Record<ConfinementLevel, readonly RuntimeFamily[]>> = {
  namespaces: ["node", "python"],
  landlock: ["node", "python"],
  seccomp: ["node"],
  none: [],
}

/**
 * Finds the strongest confinement that works here, by starting a program with each.
 *
 * @param levels the levels to try, strongest first
 * @param network what functions may connect to, if a level can restrict it
 */
export async function detectConfinement(
  levels: readonly ConfinedLevel[] = CONFINED_LEVELS,
  network: FunctionNetwork = "public",
): Promise<Confinement> {
  const processor = PROCESSORS.get(process.arch)
  if (process.platform === "linux" && processor !== undefined) {
    const interpreter = await nodeInterpreter()
    for (const level of levels) {
      for (const each of networksOf(level, network)) {
        const confinement = confinementOf(level, each, processor)
        if (await canLaunch(confinement, interpreter, ["--version"])) return confinement
      }
    }
  }
  return {
    level: "none",
    network: "host",
    languages: LANGUAGES.none,
    owner: null,
    launch: () => {
      throw new TypeError("Nothing can be confined on this machine")
    },
  }
}

/** Starts a program with the confinement, and returns whether it exited successfully. */
async function canLaunch(
  confinement: Confinement,
  interpreter: Interpreter,
  parameters: readonly string[],
): Promise<boolean> {
  const child = confinement.launch({
    interpreter,
    arguments: parameters,
    environment: {},
    folder: import.meta.dirname,
    readable: [import.meta.dirname],
    maxDataBytes: 4 * 1024 ** 3,
  })
  for (const stream of child.stdio) stream?.on("error", () => undefined)
  child.on("message", (_message, handle) => closeHandle(handle))
  child.stdout?.resume()
  child.stderr?.resume()
  const timer = setTimeout(() => child.kill("SIGKILL"), TRIAL_TIMEOUT_MS)
  try {
    // After its last message.
    const [code] = await once(child, "close")
    return code === 0
  } catch {
    // Perl is not installed.
    return false
  } finally {
    clearTimeout(timer)
  }
}

/** Lists what a level can do for a network, best first. Only a network of the function's own can be guarded. */
function networksOf(level: ConfinedLevel, network: FunctionNetwork): FunctionNetwork[] {
  if (!isGuarded(network)) return [network]
  return level === "namespaces" ? [network, "host"] : ["host"]
}

function launchNetwork(network: FunctionNetwork): LaunchNetwork {
  if (isGuarded(network)) return "proxied"
  return network === "none" ? "closed" : "open"
}

function confinementOf(level: ConfinedLevel, network: FunctionNetwork, processor: Processor): Confinement {
  const isRoot = process.getuid?.() === 0
  return {
    level,
    network,
    languages: LANGUAGES[level],
    owner: isRoot && level === "namespaces" ? FUNCTION_USER : isRoot ? 0 : null,
    launch: (launch) => {
      const launcher = { processor, isRoot, pid: process.pid, mountPoint: import.meta.dirname }
      const child = spawn("perl", [LAUNCHER], {
        // A separate process group, so that it can be killed with all its children.
        detached: true,
        stdio: ["pipe", "pipe", "pipe", "pipe", ...(isGuarded(network) ? (["ipc"] as const) : [])],
        cwd: "/",
        // The plan contains the function's environment. Perl would warn about locales that this machine lacks.
        env: { PATH: "/usr/local/bin:/usr/bin:/bin", PERL_BADLANG: "0" },
      })
      // It has already exited: its exit status says why.
      child.stdin?.on("error", () => undefined)
      child.stdin?.end(encodePlan({ ...launch, level, network: launchNetwork(network) }, launcher))
      return child
    },
  }
}

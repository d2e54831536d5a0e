import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { RuntimeLanguage } from "../function-configuration.ts"
import { type Interpreter, nodeInterpreter } from "./interpreter.ts"
import { CONFINED_LEVELS, type ConfinedLevel, encodePlan, FUNCTION_USER, type Launch } from "./launch-plan.ts"
import type { Processor } from "./syscalls.ts"

export type ConfinementLevel = ConfinedLevel | "none"

/** How this machine keeps functions in their box. */
export interface Confinement {
  readonly level: ConfinementLevel
  /** The languages whose functions can reach no other process, and no file but those that they may read. */
  readonly languages: readonly RuntimeLanguage[]
  /** The user and group that must own the code of functions. Null: whoever runs this process. */
  readonly owner: number | null
  /** Starts an interpreter in the box. Descriptors 0 to 3 are pipes. Throws TypeError at the level `none`. */
  launch(launch: Omit<Launch, "level">): ChildProcess
}

const LAUNCHER = join(import.meta.dirname, "launcher.pl")
const TRIAL_TIMEOUT_MS = 5_000
const PROCESSORS: ReadonlyMap<string, Processor> = new Map([
  ["x64", "x64"],
  ["arm64", "arm64"],
])
/** Without Landlock and without a view of its own, only Node.js's permission model stands between a function and files. */
const LANGUAGES: Readonly<Record<ConfinementLevel, readonly RuntimeLanguage[]>> = {
  namespaces: ["node", "python"],
  landlock: ["node", "python"],
  seccomp: ["node"],
  none: [],
}

/**
 * Finds the strongest confinement that works here, by starting a program with each.
 *
 * @param levels those that are tried, strongest first
 */
export async function detectConfinement(
  levels: readonly ConfinedLevel[] = CONFINED_LEVELS,
): Promise<Confinement> {
  const processor = PROCESSORS.get(process.arch)
  if (process.platform === "linux" && processor !== undefined) {
    const interpreter = await nodeInterpreter()
    for (const level of levels) {
      const confinement = confinementOf(level, processor)
      if (await canLaunch(confinement, interpreter, ["--version"])) return confinement
    }
  }
  return {
    level: "none",
    languages: LANGUAGES.none,
    owner: null,
    launch: () => {
      throw new TypeError("Nothing can be confined on this machine")
    },
  }
}

/** Starts a program with the confinement, and tells whether it ended well. */
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
  child.stdout?.resume()
  child.stderr?.resume()
  const timer = setTimeout(() => child.kill("SIGKILL"), TRIAL_TIMEOUT_MS)
  try {
    const [code] = await once(child, "exit")
    return code === 0
  } catch {
    // There is no Perl.
    return false
  } finally {
    clearTimeout(timer)
  }
}

function confinementOf(level: ConfinedLevel, processor: Processor): Confinement {
  const isRoot = process.getuid?.() === 0
  return {
    level,
    languages: LANGUAGES[level],
    owner: isRoot && level === "namespaces" ? FUNCTION_USER : isRoot ? 0 : null,
    launch: (launch) => {
      const launcher = { processor, isRoot, pid: process.pid, mountPoint: import.meta.dirname }
      const child = spawn("perl", [LAUNCHER], {
        // A group of its own, to be killed with all that belongs to it.
        detached: true,
        stdio: ["pipe", "pipe", "pipe", "pipe"],
        cwd: "/",
        // The function's own environment is in the plan. Perl would warn of locales that this machine lacks.
        env: { PATH: "/usr/local/bin:/usr/bin:/bin", PERL_BADLANG: "0" },
      })
      // It has ended by itself: its exit tells.
      child.stdin.on("error", () => undefined)
      child.stdin.end(encodePlan({ ...launch, level }, launcher))
      return child
    },
  }
}

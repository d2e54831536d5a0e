import { realpathSync } from "node:fs"
import { basename } from "node:path"
import { ownAddresses, RESOLV_CONF, resolvConf } from "../network/network-view.ts"
import { CONNECT_RULES, filterRules } from "./filter-rules.ts"
import type { Interpreter } from "./interpreter.ts"
import { DEVICES, readableFiles } from "./readable-files.ts"
import { compileFilter } from "./seccomp-filter.ts"
import { type Processor, type Syscall, syscallNumber } from "./syscalls.ts"

/** The confinement levels of functions, from the strongest to the one that leaves file access to the interpreter. */
export const CONFINED_LEVELS = ["namespaces", "landlock", "seccomp"] as const
export type ConfinedLevel = (typeof CONFINED_LEVELS)[number]

/** The user that runs functions when Sealway runs as root, so that limits and ownership apply. Unused by convention. */
export const FUNCTION_USER = 65_531

/**
 * What a function reaches of the network: what Sealway connects it to, nothing, or whatever this machine reaches.
 * `proxied` needs namespaces.
 */
export type LaunchNetwork = "proxied" | "closed" | "open"

/** What to start, and what it can see of the machine. */
export interface Launch {
  readonly level: ConfinedLevel
  readonly network: LaunchNetwork
  readonly interpreter: Interpreter
  readonly arguments: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** The working folder. */
  readonly folder: string
  /** Files and folders that may be read, in addition to the interpreter's and the machine's. */
  readonly readable: readonly string[]
  /** How much memory each process may map for its own data. */
  readonly maxDataBytes: number
}

/** The machine, and Sealway's own process on it. */
export interface Launcher {
  readonly processor: Processor
  /** Whether this process runs as root. */
  readonly isRoot: boolean
  /** This process: what is launched ends with it. */
  readonly pid: number
  /** An existing folder. A function's private view of the files is mounted over it. */
  readonly mountPoint: string
}

/** From asm-generic/resource.h. */
const RLIMIT = {
  fileSize: 1,
  data: 2,
  core: 4,
  processes: 6,
  descriptors: 7,
  lockedMemory: 8,
  pendingSignals: 11,
} as const
/** The same as AWS Lambda. */
const MAX_DESCRIPTORS = 1_024
/** Queued signals and timers: the user's other programs share the limit. */
const MAX_PENDING_SIGNALS = 1_024
/** The limit for processes and threads of one instance. AWS Lambda allows 1,024. */
const MAX_PROCESSES = 256

/** The calls that launcher.pl makes by number. */
const LAUNCHER_CALLS: readonly Syscall[] = [
  "capset",
  "close_range",
  "ioctl",
  "landlock_add_rule",
  "landlock_create_ruleset",
  "landlock_restrict_self",
  "mount",
  "mount_setattr",
  "move_mount",
  "open_tree",
  "pivot_root",
  "prctl",
  "prlimit64",
  "rt_sigprocmask",
  "seccomp",
  "sendmsg",
  "setgroups",
  "setresgid",
  "setresuid",
  "signalfd4",
  "umount2",
  "unshare",
]

type Word = [name: string, value: string | number]

/**
 * Encodes the launcher's steps in the form that it reads: alternating names and values, with a NUL byte after each.
 *
 * @throws TypeError when a value contains a NUL byte
 */
export function encodePlan(launch: Launch, launcher: Launcher): Buffer {
  const { level, network, interpreter, folder, maxDataBytes } = launch
  const hasNamespaces = level === "namespaces"
  const { files, links } = readableFiles(
    [interpreter.executable, ...interpreter.libraries, ...launch.readable],
    network === "proxied" ? [RESOLV_CONF] : [],
  )
  const filter = compileFilter(filterRules(hasNamespaces, network !== "closed"), launcher.processor)
  const words: Word[] = [
    ["parent", launcher.pid],
    ["namespaces", hasNamespaces ? 1 : 0],
    ["network", network],
    ["landlock", level === "landlock" ? "required" : level === "seccomp" ? "off" : "wanted"],
    ["folder", folder],
    ["mount-point", launcher.mountPoint],
    ["filter", filter.program.toString("hex")],
    // No core dumps, which would contain decrypted values.
    ["limit", `${RLIMIT.core} 0`],
    // No files. The launcher writes some into the view.
    ["function-limit", `${RLIMIT.fileSize} 0`],
    ["limit", `${RLIMIT.data} ${maxDataBytes}`],
    // Each socket holds memory that no process is charged for. No locked memory, which zero-copy sending (MSG_ZEROCOPY)
    // needs.
    ["limit", `${RLIMIT.descriptors} ${MAX_DESCRIPTORS}`],
    ["limit", `${RLIMIT.lockedMemory} 0`],
    ["limit", `${RLIMIT.pendingSignals} ${MAX_PENDING_SIGNALS}`],
    // Counted per user and user namespace: without a namespace, other programs of the user would count.
    ["namespace-limit", `${RLIMIT.processes} ${MAX_PROCESSES}`],
    ["command", interpreter.executable],
  ]
  if (hasNamespaces && launcher.isRoot) words.push(["user", FUNCTION_USER])
  if (network === "proxied") words.push(...networkWords(launcher))
  for (const offset of filter.ownPidOffsets) words.push(["own-pid", offset])
  for (const call of LAUNCHER_CALLS) {
    words.push([`syscall.${call}`, syscallNumber(call, launcher.processor) ?? -1])
  }
  for (const path of files) words.push(["file", path])
  for (const path of DEVICES) words.push(["device", path])
  for (const { path, target } of links) words.push(["link", `${path}\n${target}`])
  for (const path of [interpreter.executable, ...interpreter.libraries.filter(isLoader)]) {
    words.push(["program", realpathSync(path)])
  }
  for (const [name, value] of Object.entries(launch.environment))
    words.push(["environment", `${name}=${value}`])
  for (const argument of launch.arguments) words.push(["command", argument])
  words.push(["end", 1])
  if (words.some(([, value]) => String(value).includes("\0")))
    throw new TypeError("What is launched cannot hold a NUL byte")
  return Buffer.from(words.map(([name, value]) => `${name}\0${value}\0`).join(""))
}

/** A network of the function's own, from which Sealway alone connects further. */
function networkWords({ processor }: Launcher): Word[] {
  const addresses = ownAddresses()
  return [
    ["connect-filter", compileFilter(CONNECT_RULES, processor).program.toString("hex")],
    ...addresses.map(({ family, bytes }): Word => ["address", `${family} ${bytes}`]),
    ["name-server", addresses[0].bytes],
    ["text", `${RESOLV_CONF}\n${resolvConf()}`],
  ]
}

/** Recognises the dynamic loader of other programs (`ld-linux-x86-64.so.2`, `ld-musl-x86_64.so.1`). */
function isLoader(path: string): boolean {
  return basename(path).startsWith("ld-")
}

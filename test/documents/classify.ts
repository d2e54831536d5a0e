import { FAULTS, findCommand, splitCommand } from "./known-commands.ts"
import { NOT_RUN } from "./not-run.ts"
import { PASTED_PAGES } from "./pasted-pages.ts"
import type { Document } from "./read-documents.ts"
import { linesOf } from "./read-documents.ts"

export type CommandTree = ReadonlyMap<string, ReadonlySet<string>>

/** How a command that a page shows is treated. */
export type Treatment =
  | { readonly kind: "run"; readonly args: readonly string[] }
  /** Only its name is mentioned, in prose. */
  | { readonly kind: "named"; readonly path: string }
  | { readonly kind: "not-run"; readonly reason: string }
  | { readonly kind: "wrong"; readonly why: string }

/** Output of a command that looks like a command. */
const OUTPUT = [/^functions {2,}/]
const PROGRAM = /^[a-z][\w.-]* (?:.* )?--?[a-z]/

/** Returns the commands of a page that are not pasted as a whole. */
export function commandsOf({ page, blocks, indented, spans }: Document, tree: CommandTree): string[] {
  const lines = blocks.flatMap((block) => {
    if (block.language === "sh" && PASTED_PAGES.has(page)) return []
    const commands = linesOf(block).flatMap((line) => line.split(" && "))
    if (block.language === "" || block.language === "sh") return commands
    return block.language === "text" ? commands.filter(startsWithProgram) : []
  })
  return [
    ...new Set([
      ...lines,
      ...indented.filter(startsWithProgram),
      ...spans.filter((span) => isCommand(span, tree)),
    ]),
  ]
}

function startsWithProgram(line: string): boolean {
  const [first = ""] = splitCommand(line)
  return first === "sealway" || FAULTS[first] !== undefined
}

function isCommand(text: string, tree: CommandTree): boolean {
  if (OUTPUT.some((pattern) => pattern.test(text))) return false
  const [first = "", second] = splitCommand(text)
  if (second === undefined) return false
  return startsWithProgram(text) || tree.has(first) || PROGRAM.test(text)
}

export function treat(command: string, tree: CommandTree): Treatment {
  // A shell also runs the commands whose output it reads.
  const plain = command.replace(/^source <\((.*)\)$/, "$1")
  const parts = plain.split(" | ").map(splitCommand)
  for (const words of parts) {
    const fault = faultOf(words, tree)
    if (fault !== null) return { kind: "wrong", why: fault }
  }
  const listed = NOT_RUN.find(({ command: known }) =>
    typeof known === "string" ? known === command : known.test(command),
  )
  if (listed !== undefined) return { kind: "not-run", reason: listed.reason }
  const own = parts.map((words) => argumentsOf(words, tree)).find((found) => found !== null)
  if (own === undefined || own === null) return treatOther(parts[0] ?? [])
  const { path = "", isGroup = true, rest = [] } = findCommand(tree, own) ?? {}
  if (rest.length === 0 && (isGroup || !RUNS_ALONE.has(path))) return { kind: "named", path }
  return { kind: "run", args: own }
}

/** Commands that can be run without an argument. Of others the bare name is only a name. */
const RUNS_ALONE = new Set([
  "whoami",
  "audit list",
  "audit verify",
  "access list",
  "apps list",
  "keys list",
  "callback-secret",
])

function treatOther(words: readonly string[]): Treatment {
  if (words.join(" ").startsWith("npm start")) return { kind: "named", path: "npm start" }
  return { kind: "run", args: words }
}

/** Null: it is a command of another program. */
function argumentsOf(words: readonly string[], tree: CommandTree): readonly string[] | null {
  const [first = "", second = "", ...rest] = words
  if (first === "npx" && second === "sealway") return rest
  if (first === "sealway") return [second, ...rest].filter((word) => word !== "")
  return tree.has(first) ? words : null
}

function faultOf(words: readonly string[], tree: CommandTree): string | null {
  const args = argumentsOf(words, tree)
  if (args === null) {
    const program = words[0]?.replace(/^.*\//, "") ?? ""
    return FAULTS[program] === undefined ? `the program ${program} is unknown` : FAULTS[program](words)
  }
  const asked = args[0] === "help" ? args.slice(1) : args
  if (asked.length === 0 || asked[0] === "…") return null
  const found = asked[0]?.startsWith("-")
    ? { path: "", isGroup: true, rest: asked }
    : findCommand(tree, asked)
  if (found === null) return `sealway has no ${asked[0]}`
  const { path, isGroup, rest } = found
  if (isGroup && rest.length > 0 && !rest[0]?.startsWith("-")) return `${path} has no ${rest[0]}`
  const known = tree.get(path) ?? new Set()
  const unknown = rest.filter(
    (word) => /^-/.test(word) && word !== "-" && !known.has(word.replace(/=.*/, "")),
  )
  return unknown.length > 0 ? `sealway ${path} has no ${unknown.join(", ")}` : null
}

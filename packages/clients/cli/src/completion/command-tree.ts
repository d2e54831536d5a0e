import { SCOPES } from "@sealway/accounts/scopes"
import { NAMED_EVENTS } from "@sealway/records/event-types"
import type { Command, Option } from "commander"

/** A flag for completion. */
export interface FlagNode {
  /** `--overlap`, and `-y` if there is a short one. */
  readonly names: readonly string[]
  readonly takesValue: boolean
  readonly isVariadic: boolean
  /** Its possible values; empty if they are not fixed. */
  readonly values: readonly string[]
}

/** A command for completion. */
export interface CommandNode {
  /** The words after `sealway`; empty for itself. */
  readonly path: string
  readonly commands: readonly string[]
  /** Its own, and those of every command. */
  readonly flags: readonly FlagNode[]
  /** The possible arguments; empty if they are not fixed. */
  readonly values: readonly string[]
}

/** Suggested values of flags that also accept others, such as names of later releases. */
const SUGGESTED: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["--scope", SCOPES],
  ["--event", NAMED_EVENTS],
  ["--access-log", ["standard", "strict"]],
  ["--source", ["api", "client-token", "relay", "function", "enclave"]],
])
/** Text without special meaning in any shell. */
const PLAIN = /^[A-Za-z0-9@:._-]+$/
const HELP: FlagNode = { names: ["-h", "--help"], takesValue: false, isVariadic: false, values: [] }

/** Lists all commands, each after its parent. */
export function describeCommands(program: Command): CommandNode[] {
  const visit = (command: Command, path: string, inherited: readonly Option[]): CommandNode[] => {
    const options = [...command.options, ...inherited]
    const node: CommandNode = {
      path,
      commands: command.commands.map((each) => each.name()),
      flags: [...options.map(describeFlag), HELP],
      values: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []).filter(isPlain),
    }
    const below = command.commands.flatMap((each) =>
      visit(each, path === "" ? each.name() : `${path} ${each.name()}`, options),
    )
    return [node, ...below]
  }
  return visit(program, "", [])
}

function describeFlag({ short, long, required, optional, variadic, argChoices }: Option): FlagNode {
  return {
    names: [short, long].filter((name) => name !== undefined),
    takesValue: required || optional,
    isVariadic: variadic,
    values: (argChoices ?? SUGGESTED.get(long ?? "") ?? []).filter(isPlain),
  }
}

const isPlain = (text: string): boolean => PLAIN.test(text)

/** Returns the names of flags of any command that match a condition, each once. */
export function flagNames(nodes: readonly CommandNode[], isWanted: (flag: FlagNode) => boolean): string[] {
  const names = nodes.flatMap(({ flags }) => flags.filter(isWanted).flatMap((flag) => flag.names))
  return [...new Set(names)].sort()
}

import { type CommandNode, flagNames } from "./command-tree.ts"

/**
 * Writes the common part of bash and zsh: a function that reads the words up to the cursor and sets `reply` to the
 * possible next words. Tables are `case`s, which need no version of bash with associative arrays.
 */
export function completingFunction(nodes: readonly CommandNode[]): string {
  const valued = flagNames(nodes, ({ takesValue }) => takesValue).join(" ")
  const variadic = flagNames(nodes, ({ isVariadic }) => isVariadic).join(" ")
  return `_sealway_words() {
  case "$1" in
${nodes.map(wordsOf).join("\n")}
  esac
}

_sealway_flags() {
  case "$1" in
${nodes.map(flagsOf).join("\n")}
  esac
}

_sealway_values() {
  case "$1" in
${nodes.flatMap(valuesOf).join("\n")}
  esac
}

_sealway_is_command() {
  case "$1" in
    ${nodes
      .filter(({ path }) => path !== "")
      .map(({ path }) => quoted(path))
      .join(" | ")}) return 0 ;;
  esac
  return 1
}

# Sets reply by the word at the cursor ($1) and those before it.
_sealway_complete() {
  local cursor="$1" at="" flag="" word
  local -i awaits=0
  shift
  for word in "$@"; do
    if ((awaits)); then
      awaits=0
      continue
    fi
    case "$word" in
      -*)
        flag=""
        case " ${valued} " in *" $word "*) flag="$word" awaits=1 ;; esac
        ;;
      *)
        if [ "$at" = "" ] && [ "$word" = help ]; then continue; fi
        if _sealway_is_command "\${at:+$at }$word"; then at="\${at:+$at }$word" flag=""; fi
        ;;
    esac
  done
  reply=""
  case "$cursor" in
    -*)
      if ((!awaits)); then reply="$(_sealway_flags "$at")"; return; fi
      ;;
  esac
  if ((!awaits)); then
    case " ${variadic} " in *" $flag "*) ;; *) flag="" ;; esac
  fi
  if [ "$flag" = "" ]; then reply="$(_sealway_words "$at")"; else reply="$(_sealway_values "$at $flag")"; fi
}
`
}

const quoted = (text: string): string => `"${text}"`
const line = (pattern: string, words: readonly string[]): string =>
  `    ${pattern}) echo "${words.join(" ")}" ;;`

function wordsOf({ path, commands, values }: CommandNode): string {
  return line(quoted(path), [...commands, ...(path === "" ? ["help"] : []), ...values])
}

function flagsOf({ path, flags }: CommandNode): string {
  return line(
    quoted(path),
    flags.flatMap(({ names }) => names),
  )
}

function valuesOf({ path, flags }: CommandNode): string[] {
  return flags
    .filter(({ values }) => values.length > 0)
    .map(({ names, values }) => line(names.map((name) => quoted(`${path} ${name}`)).join(" | "), values))
}

import { type CommandNode, flagNames } from "./command-tree.ts"
import { completingFunction } from "./posix-script.ts"

export const SHELLS = ["bash", "zsh", "fish"] as const
export type Shell = (typeof SHELLS)[number]

/** The scripts that make a shell complete commands, flags and fixed values. */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, (nodes: readonly CommandNode[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** Words are read from the line: bash would split them at colons, which occur in scopes. */
function bashScript(nodes: readonly CommandNode[]): string {
  return `# Completion of sealway for bash. Load it with: source <(sealway completion bash)
${completingFunction(nodes)}
_sealway() {
  local typed="\${COMP_LINE:0:COMP_POINT}" cursor="" before reply
  local -a words
  read -ra words <<<"$typed"
  if ((\${#words[@]})) && [[ $typed != *[[:space:]] ]]; then
    cursor="\${words[\${#words[@]} - 1]}"
    unset "words[\${#words[@]} - 1]"
  fi
  _sealway_complete "$cursor" "\${words[@]:1}"
  COMPREPLY=($(compgen -W "$reply" -- "$cursor"))
  if [[ $cursor == *:* && $COMP_WORDBREAKS == *:* ]]; then
    before="\${cursor%"\${cursor##*:}"}"
    COMPREPLY=("\${COMPREPLY[@]#"$before"}")
  fi
}

complete -o default -F _sealway sealway
`
}

function zshScript(nodes: readonly CommandNode[]): string {
  return `#compdef sealway
# Completion of sealway for zsh. Load it with: source <(sealway completion zsh)
${completingFunction(nodes)}
_sealway() {
  local reply
  _sealway_complete "\${words[CURRENT]}" "\${(@)words[2,CURRENT-1]}"
  if [[ -n "$reply" ]]; then compadd -- \${=reply}; else _files; fi
}

if [ "$funcstack[1]" = _sealway ]; then _sealway "$@"; else compdef _sealway sealway; fi
`
}

function fishScript(nodes: readonly CommandNode[]): string {
  const valued = flagNames(nodes, ({ takesValue }) => takesValue).join(" ")
  const paths = nodes.flatMap(({ path }) => (path === "" ? [] : [`'${path}'`])).join(" ")
  return `# Completion of sealway for fish. Load it with: sealway completion fish | source
function __sealway_at
    set -l at ''
    set -l awaits 0
    for word in (commandline -opc)[2..-1]
        if test $awaits = 1
            set awaits 0
            continue
        end
        switch $word
            case '-*'
                contains -- $word ${valued}; and set awaits 1
            case '*'
                set -l next (string trim -- "$at $word")
                contains -- "$next" ${paths}; and set at $next
        end
    end
    test "$at" = "$argv[1]"
end

${nodes.flatMap(fishLines).join("\n")}
`
}

function fishLines({ path, commands, flags, values }: CommandNode): string[] {
  const condition = `complete -c sealway -n "__sealway_at '${path}'"`
  const words = [...commands, ...(path === "" ? ["help"] : []), ...values]
  return [
    ...(words.length === 0 ? [] : [`${condition} -f -a '${words.join(" ")}'`]),
    ...flags.map(({ names, takesValue, values: choices }) => {
      const spelled = names.map((name) =>
        name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
      )
      const value = choices.length > 0 ? ` -x -a '${choices.join(" ")}'` : takesValue ? " -r" : ""
      return `${condition} ${spelled.join(" ")}${value}`
    }),
  ]
}

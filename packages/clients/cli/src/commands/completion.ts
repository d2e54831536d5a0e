import { Argument, Command } from "commander"
import * as z from "zod"
import { describeCommands } from "../completion/command-tree.ts"
import { COMPLETION_SCRIPTS, SHELLS } from "../completion/scripts.ts"
import { type CommandLine, defineAction, NO_OPTIONS } from "../session/define-action.ts"
import { addGlobalOptions } from "../session/global-options.ts"

const shellArguments = z.tuple([z.enum(SHELLS)])

/** @param addAll adds all commands */
export function createCompletionCommand(addAll: (program: Command, line: CommandLine) => Promise<void>) {
  return (program: Command, line: CommandLine): void => {
    const completion = program
      .command("completion")
      .addArgument(new Argument("<shell>", "shell to print the script for").choices(SHELLS))
      .summary("complete commands in your shell")
      .description("Prints a script that makes your shell complete commands, flags and fixed values.")
      .addHelpText(
        "after",
        `
Examples:
  source <(sealway completion bash)      in ~/.bashrc
  source <(sealway completion zsh)       in ~/.zshrc, after compinit
  sealway completion fish | source       in ~/.config/fish/config.fish`,
      )
    defineAction(
      line,
      completion,
      { options: NO_OPTIONS, arguments: shellArguments },
      async ({ host }, _, [shell]) => {
        const all = new Command("sealway").version("", "--version")
        addGlobalOptions(all)
        await addAll(all, line)
        host.stdout.write(COMPLETION_SCRIPTS[shell](describeCommands(all)))
      },
    )
  }
}

import type { Command } from "commander"
import { changeValue } from "../change-value.ts"
import { type CommandLine, defineAction } from "../define-action.ts"
import { addValueOptions, valueArgumentsSchema, valueOptionsSchema } from "../value-format.ts"

export function addRewrapCommand(program: Command, line: CommandLine): void {
  const command = addValueOptions(program.command("rewrap"))
    .summary("seal tokens or a file to the newest key version")
    .description(
      "Seals what it reads to the app's newest key version: every token of a JSON document, one token (--text), or an " +
        "encrypted file (--binary). Types, roles and times stay, and nothing is decrypted for the caller. Asks for the " +
        "scope api:rewrap.",
    )
    .addHelpText(
      "after",
      `
Examples:
  sealway rewrap customers.sealed.json -o customers.rewrapped.json
  sealway rewrap --binary passport.sealed -o passport.rewrapped`,
    )
  defineAction(
    line,
    command,
    { options: valueOptionsSchema, arguments: valueArgumentsSchema },
    async ({ asApp, output, host }, options, [file]) => {
      await changeValue({ service: await asApp(), host, output }, ["rewrap"], options, file)
    },
  )
}

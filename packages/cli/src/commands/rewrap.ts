import type { Command } from "commander"
import { type CommandLine, defineAction } from "../define-action.ts"
import { printValue, refuseBytesOnTerminal } from "../print-value.ts"
import { addValueOptions, readValue, valueArgumentsSchema, valueOptionsSchema } from "../value-format.ts"

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
      const service = await asApp()
      const { format, body } = await readValue(host, options, file)
      refuseBytesOnTerminal(host, format, options.output)
      const response = await service.send({ method: "POST", path: ["rewrap"], body, writes: false })
      await printValue(host, output, format, response, options.output)
    },
  )
}

import type { Command } from "commander"
import { changeValue } from "../change-value.ts"
import { type CommandLine, defineAction } from "../define-action.ts"
import { UsageFailure } from "../failures.ts"
import { addValueOptions, valueArgumentsSchema, valueOptionsSchema } from "../value-format.ts"

export function addEncryptCommand(program: Command, line: CommandLine): void {
  const command = addValueOptions(program.command("encrypt"))
    .summary("encrypt JSON, a string or a file")
    .description(
      "Encrypts what it reads: every string, number and boolean of a JSON document, one string (--text), or a file as a " +
        "whole (--binary).",
    )
    .option("-r, --role <slug>", "data role to seal into the values; not for files")
    .addHelpText(
      "after",
      `
Examples:
  sealway encrypt card.json -o card.sealed.json
  pass show card | sealway encrypt --text --role pci
  sealway encrypt --binary passport.pdf -o passport.sealed`,
    )
  defineAction(
    line,
    command,
    { options: valueOptionsSchema, arguments: valueArgumentsSchema },
    async ({ asApp, output, host }, options, [file]) => {
      const { role } = options
      if (role !== undefined && options.binary) throw new UsageFailure("Files cannot carry a role.")
      const headers = role === undefined ? {} : { "x-service-data-role": role }
      const given = { service: await asApp(), host, output }
      await changeValue(given, ["encrypt"], options, file, () => headers)
    },
  )
}

import type { Command } from "commander"
import { type CommandLine, defineAction } from "../define-action.ts"
import { UsageFailure } from "../failures.ts"
import { printValue, refuseBytesOnTerminal } from "../print-value.ts"
import { addValueOptions, readValue, valueArgumentsSchema, valueOptionsSchema } from "../value-format.ts"

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
      const service = await asApp()
      const { format, body } = await readValue(host, options, file)
      refuseBytesOnTerminal(host, format, options.output)
      const response = await service.send({
        method: "POST",
        path: ["encrypt"],
        body,
        writes: false,
        ...(role !== undefined && { headers: { "x-service-data-role": role } }),
      })
      await printValue(host, output, format, response, options.output)
    },
  )
}

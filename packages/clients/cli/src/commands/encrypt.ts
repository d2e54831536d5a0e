import type { Command } from "commander"
import * as z from "zod"
import { changeGivenTable } from "../bulk/change-given-table.ts"
import { addTableOptions, tableOptionsSchema } from "../bulk/table-options.ts"
import { type CommandLine, defineAction } from "../session/define-action.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { changeValue } from "../values/change-value.ts"
import { addFormatOptions, formatEndpointOf, formatOptionsSchema } from "../values/format-options.ts"
import {
  addValueOptions,
  VALUE_FORMAT_OPTIONS,
  valueArgumentsSchema,
  valueOptionsSchema,
} from "../values/value-format.ts"

const encryptOptionsSchema = valueOptionsSchema.extend({
  ...tableOptionsSchema.shape,
  ...formatOptionsSchema.shape,
  subject: z.string().optional(),
})

export function addEncryptCommand(program: Command, line: CommandLine): void {
  const command = addValueOptions(program.command("encrypt"))
    .summary("encrypt JSON, a string, a file or a table")
    .description(
      "Encrypts every string, number and boolean in a JSON document, one string (--text), or a whole " +
        "whole (--binary).",
    )
    .option("-r, --role <slug>", "data role to seal into the values; not for files")
    .option("--subject <id>", "your id of the person that the values are about; not for files")
  addFormatOptions(command, ["role", "subject"])
  command.addHelpText(
    "after",
    `
Examples:
  sealway encrypt card.json -o card.sealed.json
  pass show card | sealway encrypt --text --role pci
  sealway encrypt --binary passport.pdf -o passport.sealed
  sealway encrypt --columns card,iban customers.csv -o customers.sealed.csv
  sealway encrypt --format cards --columns card customers.csv -o customers.tokens.csv`,
  )
  addTableOptions(command, VALUE_FORMAT_OPTIONS)
  defineAction(
    line,
    command,
    { options: encryptOptionsSchema, arguments: valueArgumentsSchema },
    async (session, options, [file]) => {
      const { asApp, output, host } = session
      const { role, subject } = options
      if (role !== undefined && options.binary) throw new UsageFailure("Files cannot carry a role.")
      if (subject !== undefined && options.binary)
        throw new UsageFailure("Files cannot belong to a data subject.")
      const headers = {
        ...(role !== undefined && { "x-service-data-role": role }),
        ...(subject !== undefined && { "x-service-data-subject": subject }),
      }
      const format = formatEndpointOf("encrypt", options)
      const endpoint = format ?? { path: "/encrypt", headers }
      const kind = format === null ? "seal" : "format"
      const status = await changeGivenTable(session, { ...endpoint, kind }, options, file)
      if (status !== null) return status
      await changeValue({ service: await asApp(), host, output }, endpoint, options, file)
      return undefined
    },
  )
}

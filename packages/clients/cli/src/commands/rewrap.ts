import type { Command } from "commander"
import { changeGivenTable } from "../bulk/change-given-table.ts"
import { addTableOptions, tableOptionsSchema } from "../bulk/table-options.ts"
import { type CommandLine, defineAction } from "../session/define-action.ts"
import { changeValue } from "../values/change-value.ts"
import {
  addFormatOptions,
  addTokenVersionOption,
  formatEndpointOf,
  formatOptionsSchema,
} from "../values/format-options.ts"
import {
  addValueOptions,
  VALUE_FORMAT_OPTIONS,
  valueArgumentsSchema,
  valueOptionsSchema,
} from "../values/value-format.ts"

const rewrapOptionsSchema = valueOptionsSchema.extend({
  ...tableOptionsSchema.shape,
  ...formatOptionsSchema.shape,
})

export function addRewrapCommand(program: Command, line: CommandLine): void {
  const command = addValueOptions(program.command("rewrap"))
    .summary("re-encrypt tokens, a file or a table with the newest key version")
    .description(
      "Re-encrypts with the app's newest key version: every token in a JSON document, one token (--text), or an " +
        "encrypted file (--binary). Types, roles and times do not change, and no plaintext is returned. Needs the " +
        "scope api:rewrap. With --format, tokens of a version of the format become those of its newest one.",
    )
  addTokenVersionOption(addFormatOptions(command, []))
  command.addHelpText(
    "after",
    `
Examples:
  sealway rewrap customers.sealed.json -o customers.rewrapped.json
  sealway rewrap --binary passport.sealed -o passport.rewrapped
  sealway rewrap --fields '$..card' orders.ndjson -o orders.rewrapped.ndjson
  sealway rewrap --format cards --token-version 1 --columns card cards.csv -o cards.rewrapped.csv`,
  )
  addTableOptions(command, VALUE_FORMAT_OPTIONS)
  defineAction(
    line,
    command,
    { options: rewrapOptionsSchema, arguments: valueArgumentsSchema },
    async (session, options, [file]) => {
      const { asApp, output, host } = session
      const format = formatEndpointOf("rewrap", options)
      const endpoint = format ?? { path: "/rewrap" }
      const kind = format === null ? "open" : "format"
      const status = await changeGivenTable(session, { ...endpoint, kind }, options, file)
      if (status !== null) return status
      await changeValue({ service: await asApp(), host, output }, endpoint, options, file)
      return undefined
    },
  )
}

import type { Command } from "commander"
import { changeGivenTable } from "../bulk/change-given-table.ts"
import { addTableOptions, tableOptionsSchema } from "../bulk/table-options.ts"
import { type CommandLine, defineAction } from "../session/define-action.ts"
import { changeValue } from "../values/change-value.ts"
import {
  addValueOptions,
  VALUE_FORMAT_OPTIONS,
  valueArgumentsSchema,
  valueOptionsSchema,
} from "../values/value-format.ts"

export function addRewrapCommand(program: Command, line: CommandLine): void {
  const command = addValueOptions(program.command("rewrap"))
    .summary("re-encrypt tokens, a file or a table with the newest key version")
    .description(
      "Re-encrypts with the app's newest key version: every token in a JSON document, one token (--text), or an " +
        "encrypted file (--binary). Types, roles and times do not change, and no plaintext is returned. Needs the " +
        "scope api:rewrap.",
    )
    .addHelpText(
      "after",
      `
Examples:
  sealway rewrap customers.sealed.json -o customers.rewrapped.json
  sealway rewrap --binary passport.sealed -o passport.rewrapped
  sealway rewrap --fields '$..card' orders.ndjson -o orders.rewrapped.ndjson`,
    )
  addTableOptions(command, VALUE_FORMAT_OPTIONS)
  defineAction(
    line,
    command,
    { options: valueOptionsSchema.extend(tableOptionsSchema.shape), arguments: valueArgumentsSchema },
    async (session, options, [file]) => {
      const { asApp, output, host } = session
      const status = await changeGivenTable(session, { path: "/rewrap", kind: "open" }, options, file)
      if (status !== null) return status
      await changeValue({ service: await asApp(), host, output }, "/rewrap", options, file)
      return undefined
    },
  )
}

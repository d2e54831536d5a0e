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

export function addDecryptCommand(program: Command, line: CommandLine): void {
  const command = addValueOptions(program.command("decrypt"))
    .summary("decrypt JSON, a token, a file or a table")
    .description(
      "Decrypts every token in a JSON document, one token (--text), or a whole file (--binary). " +
        "Values with a data role need a policy that permits it. Text that is not a token is refused with --text, and stays " +
        "unchanged in a document.",
    )
    .addHelpText(
      "after",
      `
Examples:
  sealway decrypt card.sealed.json
  echo "$TOKEN" | sealway decrypt --text
  sealway decrypt --binary passport.sealed -o passport.pdf
  sealway decrypt --columns card,iban customers.sealed.csv -o customers.csv`,
    )
  addTableOptions(command, VALUE_FORMAT_OPTIONS)
  defineAction(
    line,
    command,
    { options: valueOptionsSchema.extend(tableOptionsSchema.shape), arguments: valueArgumentsSchema },
    async (session, options, [file]) => {
      const { asApp, output, host } = session
      const status = await changeGivenTable(session, { path: "/decrypt", kind: "open" }, options, file)
      if (status !== null) return status
      const given = { service: await asApp(), host, output }
      // Text that is not a token would come back unchanged, and be mistaken for the decrypted value.
      await changeValue(given, "/decrypt", options, file, (format) =>
        format === "text" ? { "x-service-require-tokens": "true" } : {},
      )
      return undefined
    },
  )
}

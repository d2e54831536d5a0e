import type { Command } from "commander"
import * as z from "zod"
import { changeGivenTable } from "../bulk/change-given-table.ts"
import { addTableOptions, tableOptionsSchema } from "../bulk/table-options.ts"
import type { ValueEndpoint } from "../service/send-bytes.ts"
import { type CommandLine, defineAction } from "../session/define-action.ts"
import { UsageFailure } from "../terminal/failures.ts"
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

const decryptOptionsSchema = valueOptionsSchema.extend({
  ...tableOptionsSchema.shape,
  ...formatOptionsSchema.shape,
  masked: z.boolean().default(false),
  reason: z.string().optional(),
})

export function addDecryptCommand(program: Command, line: CommandLine): void {
  const command = addValueOptions(program.command("decrypt"))
    .summary("decrypt JSON, a token, a file or a table")
    .description(
      "Decrypts every token in a JSON document, one token (--text), or a whole file (--binary). " +
        "Values with a data role need a policy that permits it; where it permits masks only, pass --masked to get " +
        "them. Text that is not a token is refused with --text, and stays unchanged in a document.",
    )
    .option("--masked", "print masks of the values, even if policies permit more; not for files")
    .option("--reason <text>", "why, for the access log; some policies require it")
  addTokenVersionOption(addFormatOptions(command, []))
  command.addHelpText(
    "after",
    `
Examples:
  sealway decrypt card.sealed.json
  echo "$TOKEN" | sealway decrypt --text
  sealway decrypt --masked card.sealed.json
  sealway decrypt --binary passport.sealed -o passport.pdf
  sealway decrypt --columns card,iban customers.sealed.csv -o customers.csv
  sealway decrypt --format cards --columns card customers.tokens.csv -o customers.csv`,
  )
  addTableOptions(command, VALUE_FORMAT_OPTIONS)
  defineAction(
    line,
    command,
    { options: decryptOptionsSchema, arguments: valueArgumentsSchema },
    async (session, options, [file]) => {
      const { asApp, output, host } = session
      if (options.masked && options.binary) throw new UsageFailure("Files have no mask.")
      // Without it, a file could be full of masks, and look like a success.
      const headers = {
        "x-service-reveal": options.masked ? "masked" : "full",
        ...(options.reason !== undefined && { "x-service-reason": options.reason }),
      }
      const tokensOfFormat = formatEndpointOf("decrypt", options)
      const endpoint: ValueEndpoint =
        tokensOfFormat === null
          ? { path: "/decrypt", headers }
          : { ...tokensOfFormat, headers: { ...tokensOfFormat.headers, ...headers } }
      const kind = tokensOfFormat === null ? "open" : "format"
      const status = await changeGivenTable(session, { ...endpoint, kind }, options, file)
      if (status !== null) return status
      const given = { service: await asApp(), host, output }
      // Text that is not a token would come back unchanged, and be mistaken for the decrypted value.
      await changeValue(given, endpoint, options, file, (format) =>
        format === "text" && tokensOfFormat === null ? { "x-service-require-tokens": "true" } : {},
      )
      return undefined
    },
  )
}

import type { Command } from "commander"
import { type CommandLine, defineAction } from "../define-action.ts"
import { printValue, refuseBytesOnTerminal } from "../print-value.ts"
import { addValueOptions, readValue, valueArgumentsSchema, valueOptionsSchema } from "../value-format.ts"

export function addDecryptCommand(program: Command, line: CommandLine): void {
  const command = addValueOptions(program.command("decrypt"))
    .summary("decrypt JSON, a token or a file")
    .description(
      "Decrypts what it reads: every token of a JSON document, one token (--text), or a file as a whole (--binary). " +
        "Values with a data role need a policy that permits it. What is no token is refused with --text, and comes back " +
        "as it is in a document.",
    )
    .addHelpText(
      "after",
      `
Examples:
  sealway decrypt card.sealed.json
  echo "$TOKEN" | sealway decrypt --text
  sealway decrypt --binary passport.sealed -o passport.pdf`,
    )
  defineAction(
    line,
    command,
    { options: valueOptionsSchema, arguments: valueArgumentsSchema },
    async ({ asApp, output, host }, options, [file]) => {
      const service = await asApp()
      const { format, body } = await readValue(host, options, file)
      refuseBytesOnTerminal(host, format, options.output)
      // Text that is no token would come back as it is, and pass for what was decrypted.
      const headers = format === "text" ? { "x-service-require-tokens": "true" } : {}
      const response = await service.send({
        method: "POST",
        path: ["decrypt"],
        body,
        headers,
        writes: false,
      })
      await printValue(host, output, format, response, options.output)
    },
  )
}

import { type ClientSideToken, createClientSideToken, createRunToken, type RunToken } from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { readInput } from "../files/read-input.ts"
import { show } from "../service/show.ts"
import { type CommandLine, defineAction, NO_OPTIONS } from "../session/define-action.ts"
import { parseTime } from "../terminal/duration.ts"
import { formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"
import { documentBody, payloadBody } from "../values/payload-body.ts"

const COLUMNS: readonly Column<ClientSideToken | RunToken>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "token", value: ({ token }) => token },
  { title: "expires", value: ({ expiry }) => formatTime(expiry) },
]

const CLIENT_SIDE_ACTION = "api:decrypt"
const DOCUMENT_HELP = "file with the JSON document; - for standard input (the default)"
const PAYLOAD_HELP = "file with the JSON object; - for standard input (the default)"

const clientTokenOptions = z.object({ expires: z.string().optional() })
const clientTokenArguments = z.union([z.tuple([]), z.tuple([z.string()])])
const runTokenArguments = z.union([z.tuple([z.string()]), z.tuple([z.string(), z.string()])])

/** Adds the commands for tokens that a backend issues to let its frontend do one thing. */
export function addFrontendTokenCommands(program: Command, line: CommandLine): void {
  const clientTokens = program
    .command("client-tokens")
    .helpCommand(false)
    .description("tokens that let a frontend decrypt one document")
  defineAction(
    line,
    clientTokens
      .command("create")
      .argument("[file]", DOCUMENT_HELP)
      .description("Issue a token for `POST /decrypt` of this document only. It works until it expires.")
      .option("--expires <time>", "less than 10 minutes from now, such as 2m (default: 5m)"),
    { options: clientTokenOptions, arguments: clientTokenArguments },
    async ({ asApp, host, output }, { expires }, [file = "-"]) => {
      const expiry = expires === undefined ? undefined : parseTime(expires, "--expires", host.wallClock(), 1)
      const service = await asApp()
      const body = documentBody(await readInput(host, file), { action: CLIENT_SIDE_ACTION, expiry })
      await show(output, createClientSideToken(service, { body }), COLUMNS, ({ token }) => token)
    },
  )

  const runTokens = program
    .command("run-tokens")
    .helpCommand(false)
    .description("tokens that let a frontend run a function once")
  defineAction(
    line,
    runTokens
      .command("create")
      .argument("<function>", "name of the function")
      .argument("[file]", PAYLOAD_HELP)
      .description("Issue a token for one run of a function on this payload, within 5 minutes."),
    { options: NO_OPTIONS, arguments: runTokenArguments },
    async ({ asApp, host, output }, _options, [name, file = "-"]) => {
      const service = await asApp()
      const body = payloadBody(await readInput(host, file))
      const issued = createRunToken(service, { functionName: name, body })
      await show(output, issued, COLUMNS, ({ token }) => token)
    },
  )
}

import { KB } from "@sealway/kernel"
import type { Command } from "commander"
import * as z from "zod"
import { readInput } from "../files/read-input.ts"
import { readAnswer } from "../service/answers.ts"
import { jsonBody } from "../service/json-body.ts"
import { showReply } from "../service/show-answer.ts"
import { type CommandLine, defineAction, NO_OPTIONS } from "../session/define-action.ts"
import type { Session } from "../session/session.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatJson, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const MAX_REQUEST_BYTES = 64 * KB

const lookupSchema = z.object({
  id: z.string(),
  type: z.string().nullish(),
  brand: z.string().nullish(),
  funding: z.string().nullish(),
  segment: z.string().nullish(),
  country: z.string().nullish(),
  currency: z.string().nullish(),
  issuer: z.string().nullish(),
  productName: z.string().nullish(),
  matchPrecision: z.number(),
})
const parSchema = z.object({ id: z.string(), paymentAccountReference: z.string() })

const LOOKUP_COLUMNS: readonly Column<z.infer<typeof lookupSchema>>[] = [
  { title: "brand", value: ({ brand }) => brand ?? NOTHING },
  { title: "type", value: ({ type }) => type ?? NOTHING },
  { title: "funding", value: ({ funding }) => funding ?? NOTHING },
  { title: "segment", value: ({ segment }) => segment ?? NOTHING },
  { title: "country", value: ({ country }) => country ?? NOTHING },
  { title: "currency", value: ({ currency }) => currency ?? NOTHING },
  { title: "issuer", value: ({ issuer }) => issuer ?? NOTHING },
  { title: "product", value: ({ productName }) => productName ?? NOTHING },
  { title: "digits matched", value: ({ matchPrecision }) => String(matchPrecision) },
]
const PAR_COLUMNS: readonly Column<z.infer<typeof parSchema>>[] = [
  { title: "reference", value: ({ paymentAccountReference }) => paymentAccountReference },
]

const valueOptions = z.object({ value: z.string().optional() })
const fileArgument = z.union([z.tuple([]), z.tuple([z.string()])])

export function addPaymentsCommands(program: Command, line: CommandLine): void {
  const payments = program
    .command("payments")
    .helpCommand(false)
    .description("BIN and PAR lookups, and card checks with the networks")

  const takesNumber = (command: Command) =>
    command
      .argument("[file]", "file with the number or its token; - for standard input (the default)")
      .option("--value <number>", "the number or its token; careful: the shell's history keeps a number")

  defineAction(
    line,
    takesNumber(payments.command("bin-lookup"))
      .summary("look up the BIN data of a card number")
      .description(
        "Shows the brand, funding, issuer and more for a card number, its token, or its first 6 to 10 digits. Needs the scope binLookup:create.",
      ),
    { options: valueOptions, arguments: fileArgument },
    async (session, { value }, [file]) => {
      const call = await numberCall(session, "bin-lookups", value, file)
      const { asApp, output } = session
      await showReply(await asApp(), output, call, lookupSchema, LOOKUP_COLUMNS, ({ brand }) => brand ?? "")
    },
  )

  defineAction(
    line,
    takesNumber(payments.command("par-lookup"))
      .summary("look up a card's payment account reference")
      .description(
        "Requests the reference (PAR) of a card number or its token from the card network. Needs the scope parLookup:create.",
      ),
    { options: valueOptions, arguments: fileArgument },
    async (session, { value }, [file]) => {
      const call = await numberCall(session, "par-lookups", value, file)
      const { asApp, output } = session
      await showReply(
        await asApp(),
        output,
        call,
        parSchema,
        PAR_COLUMNS,
        ({ paymentAccountReference }) => paymentAccountReference,
      )
    },
  )

  defineAction(
    line,
    payments
      .command("insights")
      .argument("[file]", "file with the request as JSON; - for standard input (the default)")
      .summary("check a card with its network")
      .description(
        "Sends a request body for `POST /insights/cards`, and prints the response as JSON. Needs the scope insights:create.",
      ),
    { options: NO_OPTIONS, arguments: fileArgument },
    async ({ asApp, output, host }, _options, [file]) => {
      const bytes = await readInput(host, file ?? "-", MAX_REQUEST_BYTES)
      const body = { contentType: "application/json", bytes }
      const call = { method: "POST", path: ["insights", "cards"], body, writes: false } as const
      const answerSchema = z.looseObject({ id: z.string() })
      const { text, value } = await readAnswer(await (await asApp()).send(call), answerSchema)
      if (output.mode === "quiet") output.line(value.id)
      else output.json(output.mode === "json" ? text : formatJson(value))
    },
  )
}

async function numberCall(
  { host }: Session,
  path: string,
  value: string | undefined,
  file: string | undefined,
) {
  if (value !== undefined && file !== undefined) throw new UsageFailure("Pass a file or --value, not both.")
  const number = value ?? (await readInput(host, file ?? "-", MAX_REQUEST_BYTES)).toString().trim()
  return {
    method: "POST",
    path: ["payments", path],
    body: jsonBody({ number }),
    writes: false,
  } as const
}

import { KB } from "@sealway/kernel"
import {
  type BinLookup,
  createBinLookup,
  createCardInsight,
  createParLookup,
  JsonText,
  type ParLookup,
} from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { readInput } from "../files/read-input.ts"
import { show } from "../service/show.ts"
import { type CommandLine, defineAction, NO_OPTIONS } from "../session/define-action.ts"
import type { Session } from "../session/session.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatJson, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const MAX_REQUEST_BYTES = 64 * KB

const LOOKUP_COLUMNS: readonly Column<BinLookup>[] = [
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
const PAR_COLUMNS: readonly Column<ParLookup>[] = [
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
      const body = { number: await readNumber(session, value, file) }
      const lookup = createBinLookup(await session.asApp(), { body })
      await show(session.output, lookup, LOOKUP_COLUMNS, ({ brand = "" }) => brand)
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
      const body = { number: await readNumber(session, value, file) }
      const lookup = createParLookup(await session.asApp(), { body })
      await show(session.output, lookup, PAR_COLUMNS, (found) => found.paymentAccountReference)
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
      const insight = await createCardInsight(await asApp(), { body: new JsonText(bytes) })
      if (output.mode === "quiet") output.line(insight.id)
      else output.json(formatJson(insight))
    },
  )
}

async function readNumber(
  { host }: Session,
  value: string | undefined,
  file: string | undefined,
): Promise<string> {
  if (value !== undefined && file !== undefined) throw new UsageFailure("Pass a file or --value, not both.")
  return value ?? (await readInput(host, file ?? "-", MAX_REQUEST_BYTES)).toString().trim()
}

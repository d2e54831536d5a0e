import type { Command } from "commander"
import * as z from "zod"
import { addListOptions, listOptionsSchema, printList } from "../service/list-pages.ts"
import { readJsonObject } from "../service/payment-body.ts"
import { showAnswer } from "../service/show-answer.ts"
import {
  type CommandLine,
  defineAction,
  NO_ARGUMENTS,
  NO_OPTIONS,
  ONE_ARGUMENT,
} from "../session/define-action.ts"
import { addYesOption, askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import { formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const PATH = ["payments", "retry-watches"]

const watchSchema = z.object({
  id: z.string(),
  merchant: z.string(),
  card: z.object({ lastFour: z.string(), brand: z.string() }),
  declinedAmount: z.number(),
  currency: z.string(),
  declinedAt: z.number(),
  status: z.string(),
})

const COLUMNS: readonly Column<z.infer<typeof watchSchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "merchant", value: ({ merchant }) => merchant },
  { title: "card", value: ({ card: { lastFour, brand } }) => `...${lastFour} ${brand}` },
  { title: "amount", value: ({ declinedAmount, currency }) => `${declinedAmount} ${currency}` },
  { title: "declined", value: ({ declinedAt }) => formatTime(declinedAt) },
  { title: "status", value: ({ status }) => status },
]

const ID_AND_FILE = z.tuple([z.string(), z.string()])

const listOptions = listOptionsSchema.extend({
  merchant: z.string().optional(),
  status: z.string().optional(),
})

export function addRetryWatchesCommands(program: Command, line: CommandLine): void {
  const watches = program
    .command("retry-watches")
    .helpCommand(false)
    .description("cards of declined payments that networks watch for the right time to retry")

  defineAction(
    line,
    addListOptions(watches.command("list").description("List the app's retry watches."))
      .option("--merchant <id>", "only those of this merchant")
      .option("--status <status>", "only watching, signalled, stopped or expired ones"),
    { options: listOptions, arguments: NO_ARGUMENTS },
    async ({ asApp, output }, { merchant, status, ...options }) => {
      const call = { path: PATH, query: { merchant, status } }
      await printList(await asApp(), output, call, options, watchSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    watches
      .command("create")
      .argument("<file>", "merchant, card and declined payment as JSON; - reads standard input")
      .description("Watch a card whose payment was declined."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, _options, [file]) => {
      const body = await readJsonObject(host, file)
      await showAnswer(await asApp(), output, { method: "POST", path: PATH, body }, watchSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    watches.command("get").argument("<id>", "watch").description("Show a watch and its outcome."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [id]) => {
      await showAnswer(await asApp(), output, { method: "GET", path: [...PATH, id] }, watchSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    watches
      .command("simulate")
      .argument("<id>", "watch")
      .argument("<file>", "the signal as JSON; - reads standard input")
      .description("Signal a watch of a sandbox app as its network would."),
    { options: NO_OPTIONS, arguments: ID_AND_FILE },
    async ({ asApp, output, host }, _options, [id, file]) => {
      const body = await readJsonObject(host, file)
      const call = { method: "POST", path: [...PATH, id, "simulate"], body } as const
      await showAnswer(await asApp(), output, call, watchSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    addYesOption(watches.command("delete").argument("<id>", "watch").description("End a watch.")),
    { options: yesOptionSchema, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, options, [id]) => {
      await askBefore(host, options, `End the watch ${id}?`)
      const service = await asApp()
      await service.send({ method: "DELETE", path: [...PATH, id] })
      output.note(`Deleted ${id}.`)
    },
  )
}

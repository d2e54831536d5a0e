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
import { formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const PATH = ["payments", "account-updater", "subscriptions"]

const subscriptionSchema = z.object({
  id: z.string(),
  merchant: z.string(),
  card: z.object({
    lastFour: z.string(),
    brand: z.string().optional(),
    expiry: z.object({ month: z.string(), year: z.string() }).optional(),
  }),
  status: z.string(),
  createdAt: z.number(),
})

const COLUMNS: readonly Column<z.infer<typeof subscriptionSchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "merchant", value: ({ merchant }) => merchant },
  { title: "card", value: ({ card: { lastFour, brand = "" } }) => `...${lastFour} ${brand}`.trim() },
  {
    title: "expiry",
    value: ({ card: { expiry } }) => (expiry === undefined ? NOTHING : `${expiry.month}/${expiry.year}`),
  },
  { title: "status", value: ({ status }) => status },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]

const listOptions = listOptionsSchema.extend({
  merchant: z.string().optional(),
  status: z.string().optional(),
})
const ID_AND_FILE = z.tuple([z.string(), z.string()])

export function addAccountUpdaterCommands(program: Command, line: CommandLine): void {
  const updater = program
    .command("account-updater")
    .helpCommand(false)
    .description("cards whose changes the networks push in real time")

  defineAction(
    line,
    updater
      .command("subscribe")
      .argument("<file>", "number, merchant and expiry as JSON; - reads standard input")
      .description(
        "Subscribe a merchant to the updates of a card, or show the subscription that follows its number.",
      ),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, _options, [file]) => {
      const body = await readJsonObject(host, file)
      const call = { method: "POST", path: PATH, body } as const
      await showAnswer(await asApp(), output, call, subscriptionSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    addListOptions(updater.command("list").description("List the app's subscriptions."))
      .option("--merchant <id>", "only those of a merchant")
      .option("--status <status>", "only pending, active, failed or ended ones"),
    { options: listOptions, arguments: NO_ARGUMENTS },
    async ({ asApp, output }, { merchant, status, ...options }) => {
      const call = { path: PATH, query: { merchant, status } }
      await printList(await asApp(), output, call, options, subscriptionSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    updater.command("get").argument("<id>", "subscription").description("Show a subscription."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [id]) => {
      const call = { method: "GET", path: [...PATH, id] } as const
      await showAnswer(await asApp(), output, call, subscriptionSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    updater
      .command("simulate")
      .argument("<id>", "subscription")
      .argument("<file>", "the update as JSON; - reads standard input")
      .description("Change the card of a sandbox app's subscription as its network would."),
    { options: NO_OPTIONS, arguments: ID_AND_FILE },
    async ({ asApp, output, host }, _options, [id, file]) => {
      const body = await readJsonObject(host, file)
      const call = { method: "POST", path: [...PATH, id, "simulate"], body } as const
      await showAnswer(await asApp(), output, call, subscriptionSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    addYesOption(
      updater
        .command("delete")
        .argument("<id>", "subscription")
        .description("Delete a subscription. Its updates stop."),
    ),
    { options: yesOptionSchema, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, options, [id]) => {
      await askBefore(host, options, `Delete the subscription ${id}?`)
      const service = await asApp()
      await service.send({ method: "DELETE", path: [...PATH, id] })
      output.note(`Deleted ${id}.`)
    },
  )
}

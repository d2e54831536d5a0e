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

const PATH = ["payments", "cards"]

const cardSchema = z.object({
  id: z.string(),
  bin: z.string(),
  lastFour: z.string(),
  brand: z.string().optional(),
  expiry: z.object({ month: z.string(), year: z.string() }),
  status: z.string(),
  replacement: z.string().nullable(),
  automaticUpdates: z.string(),
  createdAt: z.number(),
})

const listOptions = listOptionsSchema.extend({
  status: z.string().optional(),
  lastFour: z.string().optional(),
})
const ID_AND_FILE = z.tuple([z.string(), z.string()])

const COLUMNS: readonly Column<z.infer<typeof cardSchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "card", value: ({ bin, lastFour, brand = "" }) => `${bin}...${lastFour} ${brand}`.trim() },
  { title: "expiry", value: ({ expiry: { month, year } }) => `${month}/${year}` },
  { title: "status", value: ({ status }) => status },
  { title: "replacement", value: ({ replacement }) => replacement ?? "" },
  { title: "updates", value: ({ automaticUpdates }) => automaticUpdates },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]

export function addCardsCommands(program: Command, line: CommandLine): void {
  const cards = program
    .command("cards")
    .helpCommand(false)
    .description("cards that the networks keep up to date")

  defineAction(
    line,
    cards
      .command("register")
      .argument("<file>", "the card as JSON; - reads standard input")
      .description("Register a card. If its number is already registered, show its newest card."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, _options, [file]) => {
      const body = await readJsonObject(host, file)
      await showAnswer(await asApp(), output, { method: "POST", path: PATH, body }, cardSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    addListOptions(cards.command("list").description("List the app's cards, without their numbers."))
      .option("--status <status>", "only active, replaced, closed or invalid ones")
      .option("--last-four <digits>", "only those whose number ends with these digits"),
    { options: listOptions, arguments: NO_ARGUMENTS },
    async ({ asApp, output }, { status, lastFour, ...options }) => {
      const call = { path: PATH, query: { status, lastFour } }
      await printList(await asApp(), output, call, options, cardSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    cards.command("get").argument("<id>", "card").description("Show a card and its replacement."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [id]) => {
      const call = { method: "GET", path: [...PATH, id] } as const
      await showAnswer(await asApp(), output, call, cardSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    cards
      .command("simulate")
      .argument("<id>", "card")
      .argument("<file>", "the update as JSON; - reads standard input")
      .description("Change a card of a sandbox app as its network would."),
    { options: NO_OPTIONS, arguments: ID_AND_FILE },
    async ({ asApp, output, host }, _options, [id, file]) => {
      const body = await readJsonObject(host, file)
      const call = { method: "POST", path: [...PATH, id, "simulate"], body } as const
      await showAnswer(await asApp(), output, call, cardSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    addYesOption(
      cards.command("delete").argument("<id>", "card").description("Delete a card and stop its updates."),
    ),
    { options: yesOptionSchema, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, options, [id]) => {
      await askBefore(host, options, `Delete the card ${id}?`)
      const service = await asApp()
      await service.send({ method: "DELETE", path: [...PATH, id] })
      output.note(`Deleted ${id}.`)
    },
  )
}

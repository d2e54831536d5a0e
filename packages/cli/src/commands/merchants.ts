import type { Command } from "commander"
import * as z from "zod"
import { numberedListOptionsSchema, printNumberedList } from "../service/list-numbered-pages.ts"
import { addNumberedListOptions } from "../service/list-pages.ts"
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
import { formatList, formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const PATH = ["payments", "merchants"]

const merchantSchema = z.object({
  id: z.string(),
  name: z.string(),
  website: z.string(),
  networkTokens: z.object({
    enrolment: z.array(z.object({ cardBrand: z.string(), status: z.string() })),
  }),
  createdAt: z.number(),
})

const ID_AND_FILE = z.tuple([z.string(), z.string()])

const COLUMNS: readonly Column<z.infer<typeof merchantSchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name },
  { title: "website", value: ({ website }) => website },
  {
    title: "network tokens",
    value: ({ networkTokens: { enrolment } }) =>
      formatList(enrolment.map(({ cardBrand, status }) => `${cardBrand} ${status}`)),
  },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]

const listOptions = numberedListOptionsSchema.extend({ name: z.string().optional() })

export function addMerchantsCommands(program: Command, line: CommandLine): void {
  const merchants = program
    .command("merchants")
    .helpCommand(false)
    .description("businesses that take payments, and their enrolment with the card networks")

  defineAction(
    line,
    addNumberedListOptions(merchants.command("list").description("List the app's merchants.")).option(
      "--name <text>",
      "only merchants with this text in their name, in any letter case",
    ),
    { options: listOptions, arguments: NO_ARGUMENTS },
    async ({ asApp, output }, options) => {
      const query = options.name === undefined ? {} : { q: options.name }
      await printNumberedList(await asApp(), output, PATH, query, options, merchantSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    merchants
      .command("create")
      .argument("<file>", "the merchant as JSON; - reads standard input")
      .description("Create a merchant, and enrol it with the card networks."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, _options, [file]) => {
      const body = await readJsonObject(host, file)
      await showAnswer(await asApp(), output, { method: "POST", path: PATH, body }, merchantSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    merchants
      .command("get")
      .argument("<id>", "merchant")
      .description("Show a merchant and the state of its enrolments."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [id]) => {
      const call = { method: "GET", path: [...PATH, id] } as const
      await showAnswer(await asApp(), output, call, merchantSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    merchants
      .command("update")
      .argument("<id>", "merchant")
      .argument("<file>", "what to change, as JSON; - reads standard input")
      .description("Change a merchant. Fields that you leave out stay unchanged."),
    { options: NO_OPTIONS, arguments: ID_AND_FILE },
    async ({ asApp, output, host }, _options, [id, file]) => {
      const body = await readJsonObject(host, file)
      const call = { method: "PATCH", path: [...PATH, id], body } as const
      await showAnswer(await asApp(), output, call, merchantSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    addYesOption(
      merchants
        .command("delete")
        .argument("<id>", "merchant")
        .description("Delete a merchant, and withdraw its enrolments."),
    ),
    { options: yesOptionSchema, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, options, [id]) => {
      await askBefore(host, options, `Delete the merchant ${id}?`)
      const service = await asApp()
      await service.send({ method: "DELETE", path: [...PATH, id] })
      output.note(`Deleted ${id}.`)
    },
  )
}

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

const PATH = ["payments", "acquirers"]

const acquirerSchema = z.object({
  id: z.string(),
  name: z.string(),
  default: z.boolean(),
  configurations: z.array(z.object({ network: z.string(), state: z.string() })),
  createdAt: z.number(),
})

const ID_AND_FILE = z.tuple([z.string(), z.string()])

const COLUMNS: readonly Column<z.infer<typeof acquirerSchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name },
  { title: "default", value: (acquirer) => (acquirer.default ? "yes" : "no") },
  {
    title: "networks",
    value: ({ configurations }) =>
      formatList(configurations.map(({ network, state }) => `${network} ${state}`)),
  },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]

export function addAcquirersCommands(program: Command, line: CommandLine): void {
  const acquirers = program
    .command("acquirers")
    .helpCommand(false)
    .description("merchants' banks and their enrolment with the card networks")

  defineAction(
    line,
    addNumberedListOptions(acquirers.command("list").description("List the app's acquirers.")),
    { options: numberedListOptionsSchema, arguments: NO_ARGUMENTS },
    async ({ asApp, output }, options) => {
      const query = {}
      await printNumberedList(await asApp(), output, PATH, query, options, acquirerSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    acquirers
      .command("create")
      .argument("<file>", "the acquirer as JSON; - reads standard input")
      .description("Create an acquirer, and enrol it with the card networks."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, _options, [file]) => {
      const body = await readJsonObject(host, file)
      await showAnswer(await asApp(), output, { method: "POST", path: PATH, body }, acquirerSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    acquirers
      .command("get")
      .argument("<id>", "acquirer")
      .description("Show an acquirer and the state of its enrolments."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [id]) => {
      const call = { method: "GET", path: [...PATH, id] } as const
      await showAnswer(await asApp(), output, call, acquirerSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    acquirers
      .command("update")
      .argument("<id>", "acquirer")
      .argument("<file>", "what to change, as JSON; - reads standard input")
      .description("Change an acquirer. Fields that you leave out stay unchanged."),
    { options: NO_OPTIONS, arguments: ID_AND_FILE },
    async ({ asApp, output, host }, _options, [id, file]) => {
      const body = await readJsonObject(host, file)
      const call = { method: "PATCH", path: [...PATH, id], body } as const
      await showAnswer(await asApp(), output, call, acquirerSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    addYesOption(
      acquirers
        .command("delete")
        .argument("<id>", "acquirer")
        .description("Delete an acquirer, and withdraw its enrolments."),
    ),
    { options: yesOptionSchema, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, options, [id]) => {
      await askBefore(host, options, `Delete the acquirer ${id}?`)
      const service = await asApp()
      await service.send({ method: "DELETE", path: [...PATH, id] })
      output.note(`Deleted ${id}.`)
    },
  )
}

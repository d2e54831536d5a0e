import type { Command } from "commander"
import * as z from "zod"
import { jsonBody } from "../service/json-body.ts"
import { addListOptions, listOptionsSchema, printList } from "../service/list-pages.ts"
import { showAnswer } from "../service/show-answer.ts"
import { type CommandLine, defineAction, NO_OPTIONS, ONE_ARGUMENT } from "../session/define-action.ts"
import { addYesOption, askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import { formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const pathOf = (merchant: string) => ["payments", "merchants", merchant, "retry-enrolments"]

const enrolmentSchema = z.object({
  id: z.string(),
  network: z.string(),
  status: z.string(),
  createdAt: z.number(),
})

const COLUMNS: readonly Column<z.infer<typeof enrolmentSchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "network", value: ({ network }) => network },
  { title: "status", value: ({ status }) => status },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]

const MERCHANT_AND_ID = z.tuple([z.string(), z.string()])

const createOptions = z.object({ network: z.string().default("mastercard") })

export function addRetryEnrolmentsCommands(program: Command, line: CommandLine): void {
  const enrolments = program
    .command("retry-enrolments")
    .helpCommand(false)
    .description("enrolments that tell merchants when to retry declined payments")

  defineAction(
    line,
    addListOptions(
      enrolments
        .command("list")
        .argument("<merchant>", "merchant")
        .description("List a merchant's enrolments for intelligent retries."),
    ),
    { options: listOptionsSchema, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, options, [merchant]) => {
      const call = { path: pathOf(merchant), query: {} }
      await printList(await asApp(), output, call, options, enrolmentSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    enrolments
      .command("create")
      .argument("<merchant>", "merchant")
      .option("--network <name>", "the card network: mastercard, which is the only one so far")
      .description("Enrol a merchant for intelligent retries."),
    { options: createOptions, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, { network }, [merchant]) => {
      const call = { method: "POST", path: pathOf(merchant), body: jsonBody({ network }) } as const
      await showAnswer(await asApp(), output, call, enrolmentSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    enrolments
      .command("get")
      .argument("<merchant>", "merchant")
      .argument("<id>", "enrolment")
      .description("Show an enrolment."),
    { options: NO_OPTIONS, arguments: MERCHANT_AND_ID },
    async ({ asApp, output }, _options, [merchant, id]) => {
      const call = { method: "GET", path: [...pathOf(merchant), id] } as const
      await showAnswer(await asApp(), output, call, enrolmentSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    addYesOption(
      enrolments
        .command("delete")
        .argument("<merchant>", "merchant")
        .argument("<id>", "enrolment")
        .description("End an enrolment."),
    ),
    { options: yesOptionSchema, arguments: MERCHANT_AND_ID },
    async ({ asApp, output, host }, options, [merchant, id]) => {
      await askBefore(host, options, `End the enrolment ${id} of ${merchant}?`)
      const service = await asApp()
      await service.send({ method: "DELETE", path: [...pathOf(merchant), id] })
      output.note(`Deleted ${id}.`)
    },
  )
}

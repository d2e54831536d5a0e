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
import { formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const PATH = ["payments", "pre-chargeback-alerts"]

const alertSchema = z.object({
  id: z.string(),
  network: z.string(),
  type: z.string(),
  merchant: z.string(),
  card: z.object({ lastFour: z.string(), brand: z.string() }),
  transaction: z.object({ amount: z.number(), currency: z.string() }),
  status: z.string(),
  outcome: z.string().nullable(),
  respondBy: z.number().nullable(),
})

const COLUMNS: readonly Column<z.infer<typeof alertSchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "network", value: ({ network }) => network },
  { title: "type", value: ({ type }) => type },
  { title: "merchant", value: ({ merchant }) => merchant },
  { title: "card", value: ({ card: { lastFour, brand } }) => `...${lastFour} ${brand}` },
  { title: "amount", value: ({ transaction: { amount, currency } }) => `${amount} ${currency}` },
  { title: "status", value: ({ status }) => status },
  { title: "outcome", value: ({ outcome }) => outcome ?? "" },
  { title: "respond by", value: ({ respondBy }) => (respondBy === null ? "" : formatTime(respondBy)) },
]

const ID_AND_FILE = z.tuple([z.string(), z.string()])

const listOptions = listOptionsSchema.extend({
  merchant: z.string().optional(),
  network: z.string().optional(),
  status: z.string().optional(),
})

export function addPreChargebackAlertsCommands(program: Command, line: CommandLine): void {
  const alerts = program
    .command("pre-chargeback-alerts")
    .helpCommand(false)
    .description("disputes that can be answered before they become chargebacks")

  defineAction(
    line,
    addListOptions(alerts.command("list").description("List the app's pre-chargeback alerts."))
      .option("--merchant <id>", "only those of this merchant")
      .option("--network <name>", "only those of verifi or ethoca")
      .option("--status <status>", "only open, resolved or expired ones"),
    { options: listOptions, arguments: NO_ARGUMENTS },
    async ({ asApp, output }, { merchant, network, status, ...options }) => {
      const call = { path: PATH, query: { merchant, network, status } }
      await printList(await asApp(), output, call, options, alertSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    alerts.command("get").argument("<id>", "alert").description("Show an alert and its outcome."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [id]) => {
      await showAnswer(await asApp(), output, { method: "GET", path: [...PATH, id] }, alertSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    alerts
      .command("update")
      .argument("<id>", "alert")
      .argument("<file>", "the answer as JSON; - reads standard input")
      .description("Answer an alert. The first answer is final."),
    { options: NO_OPTIONS, arguments: ID_AND_FILE },
    async ({ asApp, output, host }, _options, [id, file]) => {
      const body = await readJsonObject(host, file)
      const call = { method: "PATCH", path: [...PATH, id], body } as const
      await showAnswer(await asApp(), output, call, alertSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    alerts
      .command("simulate")
      .argument("<file>", "merchant and network as JSON; - reads standard input")
      .description("Create an alert in a sandbox app as its network would."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, _options, [file]) => {
      const body = await readJsonObject(host, file)
      const call = { method: "POST", path: [...PATH, "simulate"], body } as const
      await showAnswer(await asApp(), output, call, alertSchema, COLUMNS)
    },
  )
}

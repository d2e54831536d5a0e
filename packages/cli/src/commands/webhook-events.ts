import type { Command } from "commander"
import * as z from "zod"
import { readAnswer } from "../service/answers.ts"
import { jsonBody } from "../service/json-body.ts"
import { addListOptions, listOptionsSchema, printList } from "../service/list-pages.ts"
import { showAnswer } from "../service/show-answer.ts"
import {
  type CommandLine,
  defineAction,
  NO_ARGUMENTS,
  NO_OPTIONS,
  ONE_ARGUMENT,
} from "../session/define-action.ts"
import { formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const PATH = ["webhook-events"]

export const eventSchema = z.object({
  id: z.string(),
  type: z.string(),
  status: z.string(),
  createdAt: z.number(),
})
const deliverySchema = z.object({
  endpoint: z.string(),
  status: z.string(),
  attempts: z.number(),
  lastAttemptAt: z.number().nullish(),
  lastStatusCode: z.number().nullish(),
  lastFailure: z.string().nullish(),
  nextAttemptAt: z.number().nullish(),
})
const eventWithDeliveriesSchema = eventSchema.extend({ deliveries: z.array(deliverySchema) })

export const EVENT_COLUMNS: readonly Column<z.infer<typeof eventSchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "type", value: ({ type }) => type },
  { title: "status", value: ({ status }) => status },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]
const DELIVERY_COLUMNS: readonly Column<z.infer<typeof deliverySchema>>[] = [
  { title: "endpoint", value: ({ endpoint }) => endpoint },
  { title: "status", value: ({ status }) => status },
  { title: "attempts", value: ({ attempts }) => String(attempts) },
  { title: "last attempt", value: ({ lastAttemptAt }) => formatTime(lastAttemptAt) },
  {
    title: "answer",
    value: ({ lastStatusCode, lastFailure }) => String(lastStatusCode ?? lastFailure ?? NOTHING),
  },
  { title: "next attempt", value: ({ nextAttemptAt }) => formatTime(nextAttemptAt) },
]

const listOptions = listOptionsSchema.extend({ status: z.string().optional(), type: z.string().optional() })
const replayOptions = z.object({ endpoint: z.string().optional() })

export function addWebhookEventCommands(webhooks: Command, line: CommandLine): void {
  defineAction(
    line,
    addListOptions(
      webhooks.command("events").description("List the app's events of the last 30 days, newest first."),
    )
      .option("--status <status>", "only events with this status: pending, delivered or failed")
      .option("--type <type>", "only events of this type"),
    { options: listOptions, arguments: NO_ARGUMENTS },
    async ({ asApp, output }, options) => {
      const query = { status: options.status, type: options.type }
      await printList(await asApp(), output, { path: PATH, query }, options, eventSchema, EVENT_COLUMNS)
    },
  )

  defineAction(
    line,
    webhooks
      .command("event")
      .argument("<id>", "event id")
      .description("Show an event's delivery to each endpoint; with --json also its data."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [id]) => {
      const response = await (await asApp()).send({ method: "GET", path: [...PATH, id] })
      const { text, value } = await readAnswer(response, eventWithDeliveriesSchema)
      if (output.mode === "json") output.json(text)
      else if (output.mode === "quiet") output.line(value.id)
      else output.rows(DELIVERY_COLUMNS, value.deliveries)
    },
  )

  defineAction(
    line,
    webhooks
      .command("replay")
      .argument("<id>", "event id")
      .description("Replay an event to all endpoints where it failed, or to one endpoint.")
      .option("--endpoint <id>", "only to this endpoint, whatever the state of its delivery there"),
    { options: replayOptions, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, { endpoint }, [id]) => {
      const call = { method: "POST", path: [...PATH, id, "replay"], body: jsonBody({ endpoint }) } as const
      await showAnswer(await asApp(), output, call, eventSchema, EVENT_COLUMNS)
    },
  )
}

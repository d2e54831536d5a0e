import {
  getWebhookEvent,
  listWebhookEvents,
  replayWebhookEvent,
  type WebhookDelivery,
  type WebhookEvent,
} from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { addListOptions, listOptionsSchema, pageRequestOf, printList } from "../service/print-list.ts"
import { showRecord } from "../service/show.ts"
import {
  type CommandLine,
  defineAction,
  NO_ARGUMENTS,
  NO_OPTIONS,
  ONE_ARGUMENT,
} from "../session/define-action.ts"
import { formatJson, formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

export const EVENT_COLUMNS: readonly Column<WebhookEvent>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "type", value: ({ type }) => type },
  { title: "status", value: ({ status }) => status },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]
const DELIVERY_COLUMNS: readonly Column<WebhookDelivery>[] = [
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

const STATUSES = ["pending", "delivered", "failed"] as const
const listOptions = listOptionsSchema.extend({
  status: z.enum(STATUSES, "--status must be pending, delivered or failed").optional(),
  type: z.string().optional(),
})
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
      const { status, type } = options
      const list = listWebhookEvents(await asApp(), { ...pageRequestOf(options), status, type })
      await printList(output, options, EVENT_COLUMNS, list)
    },
  )

  defineAction(
    line,
    webhooks
      .command("event")
      .argument("<id>", "event id")
      .description("Show an event's delivery to each endpoint; with --json also its data."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [webhookEventId]) => {
      const event = await getWebhookEvent(await asApp(), { webhookEventId })
      if (output.mode === "json") output.json(formatJson(event))
      else if (output.mode === "quiet") output.line(event.id)
      else output.rows(DELIVERY_COLUMNS, event.deliveries)
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
    async ({ asApp, output }, { endpoint }, [webhookEventId]) => {
      const replayed = replayWebhookEvent(await asApp(), { webhookEventId, body: { endpoint } })
      await showRecord(output, replayed, EVENT_COLUMNS)
    },
  )
}

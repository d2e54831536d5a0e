import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  rotateWebhookSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
} from "@sealway/sdk/api"
import { type Command, Option } from "commander"
import * as z from "zod"
import { showRecord, showSecret } from "../service/show.ts"
import { addResource } from "../session/add-resource.ts"
import { type CommandLine, defineAction, NO_OPTIONS, ONE_ARGUMENT } from "../session/define-action.ts"
import { askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import { parseDurationMs } from "../terminal/duration.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatList, formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"
import { EVENT_COLUMNS } from "./webhook-events.ts"

const COLUMNS: readonly Column<WebhookEndpoint>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "url", value: ({ url }) => url },
  { title: "events", value: ({ events }) => formatList(events) },
  { title: "status", value: ({ status }) => status },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "description", value: ({ description }) => description || NOTHING },
]
const SECRET_COLUMNS: readonly Column<WebhookEndpointWithSecret>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "url", value: ({ url }) => url },
  { title: "events", value: ({ events }) => formatList(events) },
  { title: "secret", value: ({ secret }) => secret },
]

const createOptions = z.object({
  event: z.array(z.string()).default(["*"]),
  description: z.string().optional(),
})
const updateOptions = z.object({
  to: z.string().optional(),
  event: z.array(z.string()).optional(),
  description: z.string().optional(),
  disable: z.boolean().default(false),
  enable: z.boolean().default(false),
  ...yesOptionSchema.shape,
})
const rotateOptions = z.object({ overlap: z.string().optional() })

export function addWebhookEndpointCommands(webhooks: Command, line: CommandLine): void {
  addResource(webhooks, line, {
    columns: COLUMNS,
    id: ["id", "endpoint id"],
    list: {
      about: "List the app's webhook endpoints.",
      filters: NO_OPTIONS,
      call: ({ service, page }) => listWebhookEndpoints(service, page),
    },
    records: {
      get: {
        about: "Show a webhook endpoint.",
        call: ({ service, args: [webhookEndpointId] }) => getWebhookEndpoint(service, { webhookEndpointId }),
      },
    },
    delete: {
      about: "Delete a webhook endpoint.",
      question: (id) => `Delete the endpoint ${id}?`,
      call: ({ service, args: [webhookEndpointId] }) => deleteWebhookEndpoint(service, { webhookEndpointId }),
    },
  })

  defineAction(
    line,
    webhooks
      .command("create")
      .argument("<address>", "https URL to post events to")
      .description("Create a webhook endpoint. Its signing secret is shown only once.")
      .option(
        "--event <name...>",
        'events to receive, such as audit-log.event or payments.* (default: "*", all)',
      )
      .option("--description <text>", "for people"),
    { options: createOptions, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, { event: events, description }, [url]) => {
      const created = createWebhookEndpoint(await asApp(), { body: { url, events, description } })
      await showSecret(output, created, SECRET_COLUMNS, ({ secret }) => secret)
    },
  )

  defineAction(
    line,
    webhooks
      .command("update")
      .argument("<id>", "endpoint id")
      .description("Change a webhook endpoint. Options that you leave out stay unchanged.")
      .option("--to <address>", "new https URL to post events to")
      .option("--event <name...>", "new list of events to receive")
      .option("--description <text>", "for people")
      .option("-y, --yes", "do not ask for confirmation before disabling")
      .option("--disable", "stop sending events to it")
      .addOption(new Option("--enable", "send events to it again").conflicts("disable")),
    { options: updateOptions, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, { to: url, event: events, description, disable, enable, yes }, [id]) => {
      const status = disable ? ("disabled" as const) : enable ? ("enabled" as const) : undefined
      const changes = { url, events, description, status }
      if (Object.values(changes).every((value) => value === undefined)) {
        throw new UsageFailure("Nothing to change. Pass at least one option.")
      }
      if (disable) await askBefore(host, { yes }, `Disable the endpoint ${id}?`)
      const updated = updateWebhookEndpoint(await asApp(), { webhookEndpointId: id, body: changes })
      await showRecord(output, updated, COLUMNS)
    },
  )

  defineAction(
    line,
    webhooks
      .command("rotate-secret")
      .argument("<id>", "endpoint id")
      .description("Create a new signing secret. It is shown only once; the old one also signs for a while.")
      .option("--overlap <time>", "how long the old secret also signs, such as 1h (default: one day)"),
    { options: rotateOptions, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, { overlap }, [webhookEndpointId]) => {
      const overlapSeconds = overlap === undefined ? undefined : parseDurationMs(overlap, "--overlap") / 1000
      const rotated = rotateWebhookSecret(await asApp(), { webhookEndpointId, body: { overlapSeconds } })
      await showSecret(output, rotated, SECRET_COLUMNS, ({ secret }) => secret)
    },
  )

  defineAction(
    line,
    webhooks
      .command("test")
      .argument("<id>", "endpoint id")
      .description("Send a test event to a webhook endpoint."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [webhookEndpointId]) => {
      await showRecord(output, testWebhookEndpoint(await asApp(), { webhookEndpointId }), EVENT_COLUMNS)
    },
  )
}

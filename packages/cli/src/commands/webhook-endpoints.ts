import { type Command, Option } from "commander"
import * as z from "zod"
import { jsonBody } from "../service/json-body.ts"
import { addListOptions, listOptionsSchema, printList } from "../service/list-pages.ts"
import { showAnswer, showSecret } from "../service/show-answer.ts"
import {
  type CommandLine,
  defineAction,
  NO_ARGUMENTS,
  NO_OPTIONS,
  ONE_ARGUMENT,
} from "../session/define-action.ts"
import { addYesOption, askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import { parseDurationMs } from "../terminal/duration.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatList, formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"
import { EVENT_COLUMNS, eventSchema } from "./webhook-events.ts"

const PATH = ["webhook-endpoints"]

const endpointSchema = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  description: z.string().nullish(),
  status: z.string(),
  createdAt: z.number(),
})
const endpointWithSecretSchema = endpointSchema.extend({ secret: z.string() })

const COLUMNS: readonly Column<z.infer<typeof endpointSchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "url", value: ({ url }) => url },
  { title: "events", value: ({ events }) => formatList(events) },
  { title: "status", value: ({ status }) => status },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "description", value: ({ description }) => description || NOTHING },
]
const SECRET_COLUMNS: readonly Column<z.infer<typeof endpointWithSecretSchema>>[] = [
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
  defineAction(
    line,
    addListOptions(webhooks.command("list").description("List the app's webhook endpoints.")),
    { options: listOptionsSchema, arguments: NO_ARGUMENTS },
    async ({ asApp, output }, options) => {
      await printList(await asApp(), output, { path: PATH }, options, endpointSchema, COLUMNS)
    },
  )

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
      const call = { method: "POST", path: PATH, body: jsonBody({ url, events, description }) } as const
      await showSecret(
        await asApp(),
        output,
        call,
        endpointWithSecretSchema,
        SECRET_COLUMNS,
        ({ secret }) => secret,
      )
    },
  )

  defineAction(
    line,
    webhooks.command("get").argument("<id>", "endpoint id").description("Show a webhook endpoint."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [id]) => {
      await showAnswer(await asApp(), output, { method: "GET", path: [...PATH, id] }, endpointSchema, COLUMNS)
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
      const status = disable ? "disabled" : enable ? "enabled" : undefined
      const changes = { url, events, description, status }
      if (Object.values(changes).every((value) => value === undefined)) {
        throw new UsageFailure("Nothing to change. Pass at least one option.")
      }
      if (disable) await askBefore(host, { yes }, `Disable the endpoint ${id}?`)
      const call = { method: "PATCH", path: [...PATH, id], body: jsonBody(changes) } as const
      await showAnswer(await asApp(), output, call, endpointSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    addYesOption(
      webhooks.command("delete").argument("<id>", "endpoint id").description("Delete a webhook endpoint."),
    ),
    { options: yesOptionSchema, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, options, [id]) => {
      await askBefore(host, options, `Delete the endpoint ${id}?`)
      const service = await asApp()
      await service.send({ method: "DELETE", path: [...PATH, id] })
      output.note(`Deleted ${id}.`)
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
    async ({ asApp, output }, { overlap }, [id]) => {
      const overlapSeconds = overlap === undefined ? undefined : parseDurationMs(overlap, "--overlap") / 1000
      const call = {
        method: "POST",
        path: [...PATH, id, "rotate-secret"],
        body: jsonBody({ overlapSeconds }),
      } as const
      await showSecret(
        await asApp(),
        output,
        call,
        endpointWithSecretSchema,
        SECRET_COLUMNS,
        ({ secret }) => secret,
      )
    },
  )

  defineAction(
    line,
    webhooks
      .command("test")
      .argument("<id>", "endpoint id")
      .description("Send a test event to a webhook endpoint."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [id]) => {
      const call = { method: "POST", path: [...PATH, id, "test"] } as const
      await showAnswer(await asApp(), output, call, eventSchema, EVENT_COLUMNS)
    },
  )
}

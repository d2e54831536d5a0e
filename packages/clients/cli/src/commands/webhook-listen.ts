import { NAMED_EVENTS } from "@sealway/records/event-types"
import { triggerWebhookEvent } from "@sealway/sdk/api"
import { Argument, type Command } from "commander"
import * as z from "zod"
import { connect } from "../service/connect.ts"
import { showRecord } from "../service/show.ts"
import { type CommandLine, defineAction, NO_ARGUMENTS, NO_OPTIONS } from "../session/define-action.ts"
import { requireKey, requireUrl } from "../session/settings.ts"
import { formatJson, formatTime } from "../terminal/format.ts"
import type { Column, Output } from "../terminal/output.ts"
import {
  type ForwardOutcome,
  forwardEvent,
  forwardingSecret,
  parseForwardUrl,
} from "../webhooks/forward-event.ts"
import { type ListenedEvent, type ListeningReports, listenForEvents } from "../webhooks/listen-for-events.ts"
import { EVENT_COLUMNS } from "./webhook-events.ts"

/** How long the service may take to end the listener after Ctrl-C. */
const CLOSING_MS = 3_000

interface Row {
  readonly event: ListenedEvent
  /** Null: it was not forwarded. */
  readonly outcome: ForwardOutcome | null
}

const COLUMNS: readonly Column<Row>[] = [
  { title: "created", value: ({ event }) => formatTime(event.createdAt) },
  { title: "type", value: ({ event }) => event.type },
  { title: "id", value: ({ event }) => event.id },
  { title: "answer", value: ({ outcome }) => (outcome === null ? "not forwarded" : answerText(outcome)) },
]

const FAILURES = {
  timeout: "no response within 15 s",
  refused: "connection refused",
  unreachable: "cannot be reached",
} as const

const listenOptions = z.object({
  forwardTo: z.string().optional(),
  event: z.array(z.string()).default(["*"]),
  printSecret: z.boolean().default(false),
})

export function addWebhookListenCommands(webhooks: Command, line: CommandLine): void {
  defineAction(
    line,
    webhooks
      .command("listen")
      .summary("forward events to this machine, until Ctrl-C")
      .description(
        "Fetches the app's events as they happen and posts each to a URL on this machine, once and signed like webhooks, " +
          "until Ctrl-C. Events that your program does not accept are not retried. Events of the first 10 seconds may be missing.",
      )
      .option(
        "--forward-to <address>",
        "URL to post events to, such as http://localhost:3000/hooks (default: only show them)",
      )
      .option(
        "--event <name...>",
        'events to receive, such as audit-log.event or payments.* (default: "*", all)',
      )
      .option("--print-secret", "print the signing secret, so that your program can verify events, and exit")
      .addHelpText(
        "after",
        `
The signing secret is derived from your API key and stays the same; SEALWAY_WEBHOOK_SECRET sets another one.

Example: sealway webhooks listen --forward-to http://localhost:3000/hooks`,
      ),
    { options: listenOptions, arguments: NO_ARGUMENTS },
    async (session, { forwardTo, event: events, printSecret }) => {
      const { host, output, asApp } = session
      const url = forwardTo === undefined ? null : parseForwardUrl(forwardTo)
      const settings = await session.settings()
      const key = requireKey(settings, "api-key")
      const secret = forwardingSecret(host.env, key)
      if (printSecret) {
        if (output.mode === "json") output.json(formatJson({ secret }))
        else output.line(secret)
        return
      }
      const service = await asApp()
      const closing = connect(
        { ...host, signal: new AbortController().signal },
        requireUrl(settings),
        { app: settings.app?.value ?? null, key },
        CLOSING_MS,
      )
      const reports = reportsOf(output, url, secret)
      for await (const event of listenForEvents(service, closing, host, events, reports)) {
        const outcome = url === null ? null : await forwardEvent(host, url, event, secret)
        print(output, { event, outcome })
      }
    },
  )

  defineAction(
    line,
    webhooks
      .command("trigger")
      .addArgument(new Argument("<type>", "type of the event").choices(NAMED_EVENTS))
      .summary("send a sample event to all endpoints that subscribe to it")
      .description(
        "Creates a sample event, with test: true in its data, and sends it to the app's webhook endpoints and listeners that " +
          "subscribe to its type. For sandbox apps only.",
      ),
    { options: NO_OPTIONS, arguments: z.tuple([z.enum(NAMED_EVENTS)]) },
    async ({ asApp, output }, _options, [type]) => {
      await showRecord(output, triggerWebhookEvent(await asApp(), { body: { type } }), EVENT_COLUMNS)
    },
  )
}

function reportsOf(output: Output, url: string | null, secret: string): ListeningReports {
  return {
    onReady() {
      output.note(
        url === null ? "Listening. Press Ctrl-C to stop." : `Forwarding to ${url}. Press Ctrl-C to stop.`,
      )
      if (url !== null) output.note(`Signing secret: ${secret}`)
    },
    onDropped: () => output.note("Too many events were waiting. Some were dropped."),
    onForgotten: () => output.note("The listener had expired. Events since then are missing."),
    onBroken: (pauseMs) => output.note(`The service cannot be reached. Retrying in ${pauseMs / 1000} s.`),
    onResumed: () => output.note("The service is reachable again."),
  }
}

function print(output: Output, row: Row): void {
  const { event, outcome } = row
  if (output.mode === "json") output.json(formatJson({ ...event, forwarded: outcome }))
  else if (output.mode === "quiet") output.line(event.id)
  else output.row(COLUMNS, row)
}

function answerText(outcome: ForwardOutcome): string {
  if ("failure" in outcome) return `${FAILURES[outcome.failure]}, not retried`
  const isTaken = outcome.status >= 200 && outcome.status <= 299
  return isTaken ? String(outcome.status) : `${outcome.status}, not retried`
}

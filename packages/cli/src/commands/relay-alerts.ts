import { type Command, Option } from "commander"
import * as z from "zod"
import { findRelayId } from "../plan/find-relay-id.ts"
import { RELAYS_PATH } from "../plan/stored-relays.ts"
import { readAnswer } from "../service/answers.ts"
import { jsonBody } from "../service/json-body.ts"
import { addListOptions, listOptionsSchema, printList } from "../service/list-pages.ts"
import type { ServiceClient } from "../service/service-client.ts"
import { showAnswer } from "../service/show-answer.ts"
import { type CommandLine, defineAction, NO_OPTIONS, ONE_ARGUMENT } from "../session/define-action.ts"
import { addYesOption, askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const alertSchema = z.object({ id: z.string(), type: z.string(), url: z.string(), createdAt: z.number() })
const testSchema = z.object({ event: z.string() })

const COLUMNS: readonly Column<z.infer<typeof alertSchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "type", value: ({ type }) => type },
  { title: "url", value: ({ url }) => url },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]

const TYPES = ["webhook", "chat"]
const TYPE_HELP = "webhook: all fields, signed; chat: a text for a chat tool's incoming webhook"
const createOptions = z.object({ type: z.string().default("webhook") })
const updateOptions = z.object({ type: z.string().optional(), to: z.string().optional() })
const TWO_ARGUMENTS = z.tuple([z.string(), z.string()])

export function addRelayAlertCommands(relays: Command, line: CommandLine): void {
  const alerts = relays
    .command("alerts")
    .helpCommand(false)
    .description("URLs that receive a relay's errors and leaks")
  const ofRelay = (name: string) => alerts.command(name).argument("<relay>", "id or destination")
  const oneOfRelay = (name: string) => ofRelay(name).argument("<alert>", "alert id")

  defineAction(
    line,
    addListOptions(ofRelay("list").description("List a relay's alerts.")),
    { options: listOptionsSchema, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, options, [relay]) => {
      const service = await asApp()
      const path = await pathOf(service, relay)
      await printList(service, output, { path }, options, alertSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    ofRelay("create")
      .argument("<address>", "https URL to post alerts to")
      .description("Create an alert. It is sent at most once a minute for each error code.")
      .addOption(new Option("--type <type>", TYPE_HELP).choices(TYPES)),
    { options: createOptions, arguments: TWO_ARGUMENTS },
    async ({ asApp, output }, { type }, [relay, url]) => {
      const service = await asApp()
      const call = {
        method: "POST",
        path: await pathOf(service, relay),
        body: jsonBody({ type, url }),
      } as const
      await showAnswer(service, output, call, alertSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    oneOfRelay("get").description("Show an alert."),
    { options: NO_OPTIONS, arguments: TWO_ARGUMENTS },
    async ({ asApp, output }, _options, [relay, id]) => {
      const service = await asApp()
      const path = [...(await pathOf(service, relay)), id]
      await showAnswer(service, output, { method: "GET", path }, alertSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    oneOfRelay("update")
      .description("Change an alert. Options that you leave out stay unchanged.")
      .addOption(new Option("--type <type>", TYPE_HELP).choices(TYPES))
      .option("--to <address>", "new https URL to post alerts to"),
    { options: updateOptions, arguments: TWO_ARGUMENTS },
    async ({ asApp, output }, { type, to: url }, [relay, id]) => {
      if (type === undefined && url === undefined)
        throw new UsageFailure("Nothing to change. Pass at least one option.")
      const service = await asApp()
      const path = [...(await pathOf(service, relay)), id]
      const call = { method: "PATCH", path, body: jsonBody({ type, url }) } as const
      await showAnswer(service, output, call, alertSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    oneOfRelay("test").description("Send a test alert, and print the id of the event that carries it."),
    { options: NO_OPTIONS, arguments: TWO_ARGUMENTS },
    async ({ asApp, output }, _options, [relay, id]) => {
      const service = await asApp()
      const path = [...(await pathOf(service, relay)), id, "test"]
      const { text, value } = await readAnswer(await service.send({ method: "POST", path }), testSchema)
      if (output.mode === "json") output.json(text)
      else output.line(value.event)
    },
  )

  defineAction(
    line,
    addYesOption(oneOfRelay("delete").description("Delete an alert and cancel its pending deliveries.")),
    { options: yesOptionSchema, arguments: TWO_ARGUMENTS },
    async ({ asApp, output, host }, options, [relay, id]) => {
      await askBefore(host, options, `Delete the alert ${id}?`)
      const service = await asApp()
      await service.send({ method: "DELETE", path: [...(await pathOf(service, relay)), id] })
      output.note(`Deleted ${id}.`)
    },
  )
}

async function pathOf(service: ServiceClient, relay: string): Promise<string[]> {
  return [...RELAYS_PATH, await findRelayId(service, relay), "alerts"]
}

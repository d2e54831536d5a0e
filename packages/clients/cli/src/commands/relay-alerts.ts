import {
  createRelayAlert,
  deleteRelayAlert,
  getRelayAlert,
  listRelayAlerts,
  type RelayAlert,
  testRelayAlert,
  updateRelayAlert,
} from "@sealway/sdk/api"
import { type Command, Option } from "commander"
import * as z from "zod"
import { findRelayId } from "../plan/find-relay-id.ts"
import { showRecord } from "../service/show.ts"
import { addResource } from "../session/add-resource.ts"
import { type CommandLine, defineAction, NO_OPTIONS } from "../session/define-action.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatJson, formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const COLUMNS: readonly Column<RelayAlert>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "type", value: ({ type }) => type },
  { title: "url", value: ({ url }) => url },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]

const TYPES = ["webhook", "chat"] as const
const TYPE_HELP = "webhook: all fields, signed; chat: a text for a chat tool's incoming webhook"
const createOptions = z.object({ type: z.enum(TYPES).default("webhook") })
const updateOptions = z.object({ type: z.enum(TYPES).optional(), to: z.string().optional() })
const TWO_ARGUMENTS = z.tuple([z.string(), z.string()])

export function addRelayAlertCommands(relays: Command, line: CommandLine): void {
  const alerts = relays
    .command("alerts")
    .helpCommand(false)
    .description("URLs that receive a relay's errors and leaks")
  const ofRelay = (name: string) => alerts.command(name).argument("<relay>", "id or destination")
  const oneOfRelay = (name: string) => ofRelay(name).argument("<alert>", "alert id")

  addResource(alerts, line, {
    columns: COLUMNS,
    parent: ["relay", "id or destination"],
    id: ["alert", "alert id"],
    list: {
      about: "List a relay's alerts.",
      filters: NO_OPTIONS,
      call: async ({ service, page, args: [relay] }) =>
        listRelayAlerts(service, { relayId: await findRelayId(service, relay), ...page }),
    },
    records: {
      get: {
        about: "Show an alert.",
        call: async ({ service, args: [relay, alertId] }) =>
          getRelayAlert(service, { relayId: await findRelayId(service, relay), alertId }),
      },
    },
    delete: {
      about: "Delete an alert and cancel its pending deliveries.",
      question: (_relay, id) => `Delete the alert ${id}?`,
      call: async ({ service, args: [relay, alertId] }) =>
        deleteRelayAlert(service, { relayId: await findRelayId(service, relay), alertId }),
    },
  })

  defineAction(
    line,
    ofRelay("create")
      .argument("<address>", "https URL to post alerts to")
      .description("Create an alert. It is sent at most once a minute for each error code.")
      .addOption(new Option("--type <type>", TYPE_HELP).choices(TYPES)),
    { options: createOptions, arguments: TWO_ARGUMENTS },
    async ({ asApp, output }, { type }, [relay, url]) => {
      const service = await asApp()
      const relayId = await findRelayId(service, relay)
      await showRecord(output, createRelayAlert(service, { relayId, body: { type, url } }), COLUMNS)
    },
  )

  defineAction(
    line,
    oneOfRelay("update")
      .description("Change an alert. Options that you leave out stay unchanged.")
      .addOption(new Option("--type <type>", TYPE_HELP).choices(TYPES))
      .option("--to <address>", "new https URL to post alerts to"),
    { options: updateOptions, arguments: TWO_ARGUMENTS },
    async ({ asApp, output }, { type, to: url }, [relay, alertId]) => {
      if (type === undefined && url === undefined)
        throw new UsageFailure("Nothing to change. Pass at least one option.")
      const service = await asApp()
      const relayId = await findRelayId(service, relay)
      await showRecord(output, updateRelayAlert(service, { relayId, alertId, body: { type, url } }), COLUMNS)
    },
  )

  defineAction(
    line,
    oneOfRelay("test").description("Send a test alert, and print the id of the event that carries it."),
    { options: NO_OPTIONS, arguments: TWO_ARGUMENTS },
    async ({ asApp, output }, _options, [relay, alertId]) => {
      const service = await asApp()
      const tested = await testRelayAlert(service, { relayId: await findRelayId(service, relay), alertId })
      if (output.mode === "json") output.json(formatJson(tested))
      else output.line(tested.event)
    },
  )
}

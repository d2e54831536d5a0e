import {
  getPreChargebackAlert,
  listPreChargebackAlerts,
  type PreChargebackAlert,
  simulatePreChargebackAlert,
  updatePreChargebackAlert,
} from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { addResource, choice, filter } from "../session/add-resource.ts"
import type { CommandLine } from "../session/define-action.ts"
import { formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const COLUMNS: readonly Column<PreChargebackAlert>[] = [
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

export function addPreChargebackAlertsCommands(program: Command, line: CommandLine): void {
  const alerts = program
    .command("pre-chargeback-alerts")
    .helpCommand(false)
    .description("disputes that can be answered before they become chargebacks")

  addResource(alerts, line, {
    columns: COLUMNS,
    id: ["id", "alert"],
    list: {
      about: "List the app's pre-chargeback alerts.",
      filters: z.object({
        merchant: filter("--merchant <id>", "only those of this merchant"),
        network: choice("--network <name>", "only those of this network", ["verifi", "ethoca"]),
        status: choice("--status <status>", "only those with this status", ["open", "resolved", "expired"]),
      }),
      call: ({ service, page, filters }) => listPreChargebackAlerts(service, { ...page, ...filters }),
    },
    records: {
      get: {
        about: "Show an alert and its outcome.",
        call: ({ service, args: [preChargebackAlertId] }) =>
          getPreChargebackAlert(service, { preChargebackAlertId }),
      },
      update: {
        about: "Answer an alert. The first answer is final.",
        file: "the answer as JSON",
        call: ({ service, args: [preChargebackAlertId], body }) =>
          updatePreChargebackAlert(service, { preChargebackAlertId, body }),
      },
      simulate: {
        about: "Create an alert in a sandbox app as its network would.",
        takesId: false,
        file: "merchant and network as JSON",
        call: ({ service, body }) => simulatePreChargebackAlert(service, { body }),
      },
    },
  })
}

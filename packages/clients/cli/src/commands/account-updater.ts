import {
  type CardSubscription,
  createCardSubscription,
  deleteCardSubscription,
  getCardSubscription,
  listCardSubscriptions,
  simulateAccountUpdate,
} from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { addResource, choice, filter } from "../session/add-resource.ts"
import type { CommandLine } from "../session/define-action.ts"
import { formatTime, NOTHING } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const COLUMNS: readonly Column<CardSubscription>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "merchant", value: ({ merchant }) => merchant },
  { title: "card", value: ({ card: { lastFour, brand = "" } }) => `...${lastFour} ${brand}`.trim() },
  {
    title: "expiry",
    value: ({ card: { expiry } }) => (expiry === undefined ? NOTHING : `${expiry.month}/${expiry.year}`),
  },
  { title: "status", value: ({ status }) => status },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]

export function addAccountUpdaterCommands(program: Command, line: CommandLine): void {
  const updater = program
    .command("account-updater")
    .helpCommand(false)
    .description("cards whose changes the networks push in real time")

  addResource(updater, line, {
    columns: COLUMNS,
    id: ["id", "subscription"],
    list: {
      about: "List the app's subscriptions.",
      filters: z.object({
        merchant: filter("--merchant <id>", "only those of a merchant"),
        status: choice("--status <status>", "only those with this status", [
          "pending",
          "active",
          "failed",
          "ended",
        ]),
      }),
      call: ({ service, page, filters }) => listCardSubscriptions(service, { ...page, ...filters }),
    },
    records: {
      subscribe: {
        about:
          "Subscribe a merchant to the updates of a card, or show the subscription that follows its number.",
        takesId: false,
        file: "number, merchant and expiry as JSON",
        call: ({ service, body }) => createCardSubscription(service, { body }),
      },
      get: {
        about: "Show a subscription.",
        call: ({ service, args: [subscriptionId] }) => getCardSubscription(service, { subscriptionId }),
      },
      simulate: {
        about: "Change the card of a sandbox app's subscription as its network would.",
        file: "the update as JSON",
        call: ({ service, args: [subscriptionId], body }) =>
          simulateAccountUpdate(service, { subscriptionId, body }),
      },
    },
    delete: {
      about: "Delete a subscription. Its updates stop.",
      question: (id) => `Delete the subscription ${id}?`,
      call: ({ service, args: [subscriptionId] }) => deleteCardSubscription(service, { subscriptionId }),
    },
  })
}

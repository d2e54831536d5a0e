import {
  createRetryWatch,
  deleteRetryWatch,
  getRetryWatch,
  listRetryWatches,
  type RetryWatch,
  simulateRetrySignal,
} from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { addResource, choice, filter } from "../session/add-resource.ts"
import type { CommandLine } from "../session/define-action.ts"
import { formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const COLUMNS: readonly Column<RetryWatch>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "merchant", value: ({ merchant }) => merchant },
  { title: "card", value: ({ card: { lastFour, brand } }) => `...${lastFour} ${brand}` },
  { title: "amount", value: ({ declinedAmount, currency }) => `${declinedAmount} ${currency}` },
  { title: "declined", value: ({ declinedAt }) => formatTime(declinedAt) },
  { title: "status", value: ({ status }) => status },
]

export function addRetryWatchesCommands(program: Command, line: CommandLine): void {
  const watches = program
    .command("retry-watches")
    .helpCommand(false)
    .description("cards of declined payments that networks watch for the right time to retry")

  addResource(watches, line, {
    columns: COLUMNS,
    id: ["id", "watch"],
    list: {
      about: "List the app's retry watches.",
      filters: z.object({
        merchant: filter("--merchant <id>", "only those of this merchant"),
        status: choice("--status <status>", "only those with this status", [
          "watching",
          "signalled",
          "stopped",
          "expired",
        ]),
      }),
      call: ({ service, page, filters }) => listRetryWatches(service, { ...page, ...filters }),
    },
    records: {
      create: {
        about: "Watch a card whose payment was declined.",
        takesId: false,
        file: "merchant, card and declined payment as JSON",
        call: ({ service, body }) => createRetryWatch(service, { body }),
      },
      get: {
        about: "Show a watch and its outcome.",
        call: ({ service, args: [retryWatchId] }) => getRetryWatch(service, { retryWatchId }),
      },
      simulate: {
        about: "Signal a watch of a sandbox app as its network would.",
        file: "the signal as JSON",
        call: ({ service, args: [retryWatchId], body }) =>
          simulateRetrySignal(service, { retryWatchId, body }),
      },
    },
    delete: {
      about: "End a watch.",
      question: (id) => `End the watch ${id}?`,
      call: ({ service, args: [retryWatchId] }) => deleteRetryWatch(service, { retryWatchId }),
    },
  })
}

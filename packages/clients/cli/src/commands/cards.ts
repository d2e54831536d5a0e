import { type Card, deleteCard, getCard, listCards, registerCard, simulateCardUpdate } from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { addResource, choice, filter } from "../session/add-resource.ts"
import type { CommandLine } from "../session/define-action.ts"
import { formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const COLUMNS: readonly Column<Card>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "card", value: ({ bin, lastFour, brand = "" }) => `${bin}...${lastFour} ${brand}`.trim() },
  { title: "expiry", value: ({ expiry: { month, year } }) => `${month}/${year}` },
  { title: "status", value: ({ status }) => status },
  { title: "replacement", value: ({ replacement }) => replacement ?? "" },
  { title: "updates", value: ({ automaticUpdates }) => automaticUpdates },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]

export function addCardsCommands(program: Command, line: CommandLine): void {
  const cards = program
    .command("cards")
    .helpCommand(false)
    .description("cards that the networks keep up to date")

  addResource(cards, line, {
    columns: COLUMNS,
    id: ["id", "card"],
    list: {
      about: "List the app's cards, without their numbers.",
      filters: z.object({
        status: choice("--status <status>", "only those with this status", [
          "active",
          "replaced",
          "closed",
          "invalid",
        ]),
        lastFour: filter("--last-four <digits>", "only those whose number ends with these digits"),
      }),
      call: ({ service, page, filters }) => listCards(service, { ...page, ...filters }),
    },
    records: {
      register: {
        about: "Register a card. If its number is already registered, show its newest card.",
        takesId: false,
        file: "the card as JSON",
        call: ({ service, body }) => registerCard(service, { body }),
      },
      get: {
        about: "Show a card and its replacement.",
        call: ({ service, args: [cardId] }) => getCard(service, { cardId }),
      },
      simulate: {
        about: "Change a card of a sandbox app as its network would.",
        file: "the update as JSON",
        call: ({ service, args: [cardId], body }) => simulateCardUpdate(service, { cardId, body }),
      },
    },
    delete: {
      about: "Delete a card and stop its updates.",
      question: (id) => `Delete the card ${id}?`,
      call: ({ service, args: [cardId] }) => deleteCard(service, { cardId }),
    },
  })
}

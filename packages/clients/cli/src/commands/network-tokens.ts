import {
  type CardArt,
  type Cryptogram,
  createCryptogram,
  createNetworkToken,
  deleteNetworkToken,
  getCardArt,
  getNetworkToken,
  listNetworkTokens,
  type NetworkToken,
  simulateNetworkTokenUpdate,
} from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { show, showSecret } from "../service/show.ts"
import { addResource, choice, filter } from "../session/add-resource.ts"
import { type CommandLine, defineAction, NO_OPTIONS, ONE_ARGUMENT } from "../session/define-action.ts"
import { formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const COLUMNS: readonly Column<NetworkToken>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "merchant", value: ({ merchant }) => merchant },
  { title: "card", value: ({ card: { lastFour, brand = "" } }) => `...${lastFour} ${brand}`.trim() },
  { title: "expiry", value: ({ expiry: { month, year } }) => `${month}/${year}` },
  { title: "provider", value: ({ tokenServiceProvider }) => tokenServiceProvider },
  { title: "status", value: ({ status }) => status },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]

const CRYPTOGRAM_COLUMNS: readonly Column<Cryptogram>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "cryptogram", value: ({ cryptogram }) => cryptogram },
  { title: "eci", value: ({ eci }) => eci ?? "" },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]

const ART_COLUMNS: readonly Column<CardArt>[] = [
  { title: "type", value: ({ type }) => type },
  { title: "size", value: ({ width, height }) => `${width} x ${height}` },
]

const STATUSES = ["provisioning", "active", "inactive", "suspended", "blocked", "expired", "deleted"] as const

export function addNetworkTokensCommands(program: Command, line: CommandLine): void {
  const tokens = program
    .command("network-tokens")
    .helpCommand(false)
    .description("card numbers that work at one merchant only, and their cryptograms")

  addResource(tokens, line, {
    columns: COLUMNS,
    id: ["id", "network token"],
    list: {
      about: "List the app's network tokens, without their numbers.",
      filters: z.object({
        merchant: filter("--merchant <id>", "only those of a merchant"),
        status: choice("--status <status>", "only those with this status", STATUSES),
        lastFour: filter("--last-four <digits>", "only those whose card's number ends with these digits"),
      }),
      call: ({ service, page, filters }) => listNetworkTokens(service, { ...page, ...filters }),
    },
    records: {
      create: {
        about: "Create a network token for a card at a merchant.",
        takesId: false,
        file: "card and merchant as JSON",
        call: ({ service, body }) => createNetworkToken(service, { body }),
      },
      get: {
        about: "Show a network token.",
        call: ({ service, args: [networkTokenId] }) => getNetworkToken(service, { networkTokenId }),
      },
      simulate: {
        about: "Change a network token of a sandbox app as its network would.",
        file: "the update as JSON",
        call: ({ service, args: [networkTokenId], body }) =>
          simulateNetworkTokenUpdate(service, { networkTokenId, body }),
      },
    },
    delete: {
      about: "Delete a network token, also at its network.",
      question: (id) => `Delete the network token ${id}?`,
      call: ({ service, args: [networkTokenId] }) => deleteNetworkToken(service, { networkTokenId }),
    },
  })

  defineAction(
    line,
    tokens
      .command("cryptogram")
      .argument("<id>", "network token")
      .description("Get a cryptogram for one payment. It is shown only once; -q prints just the cryptogram."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [networkTokenId]) => {
      const made = createCryptogram(await asApp(), { networkTokenId })
      await showSecret(output, made, CRYPTOGRAM_COLUMNS, ({ cryptogram }) => cryptogram)
    },
  )

  defineAction(
    line,
    tokens
      .command("card-art")
      .argument("<id>", "network token")
      .description("Show details of the card art. -q prints the image in base64."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [networkTokenId]) => {
      await show(output, getCardArt(await asApp(), { networkTokenId }), ART_COLUMNS, ({ data }) => data)
    },
  )
}

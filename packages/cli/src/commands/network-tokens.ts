import type { Command } from "commander"
import * as z from "zod"
import { addListOptions, listOptionsSchema, printList } from "../service/list-pages.ts"
import { readJsonObject } from "../service/payment-body.ts"
import { showAnswer, showReply, showSecret } from "../service/show-answer.ts"
import {
  type CommandLine,
  defineAction,
  NO_ARGUMENTS,
  NO_OPTIONS,
  ONE_ARGUMENT,
} from "../session/define-action.ts"
import { addYesOption, askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import { formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const PATH = ["payments", "network-tokens"]

const expirySchema = z.object({ month: z.string(), year: z.string() })
const tokenSchema = z.object({
  id: z.string(),
  merchant: z.string(),
  card: z.object({ lastFour: z.string(), expiry: expirySchema, brand: z.string().optional() }),
  expiry: expirySchema,
  tokenServiceProvider: z.string(),
  status: z.string(),
  createdAt: z.number(),
})

const COLUMNS: readonly Column<z.infer<typeof tokenSchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "merchant", value: ({ merchant }) => merchant },
  { title: "card", value: ({ card: { lastFour, brand = "" } }) => `...${lastFour} ${brand}`.trim() },
  { title: "expiry", value: ({ expiry: { month, year } }) => `${month}/${year}` },
  { title: "provider", value: ({ tokenServiceProvider }) => tokenServiceProvider },
  { title: "status", value: ({ status }) => status },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]

const cryptogramSchema = z.object({
  id: z.string(),
  cryptogram: z.string(),
  eci: z.string().optional(),
  createdAt: z.number(),
})

const CRYPTOGRAM_COLUMNS: readonly Column<z.infer<typeof cryptogramSchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "cryptogram", value: ({ cryptogram }) => cryptogram },
  { title: "eci", value: ({ eci }) => eci ?? "" },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]

const artSchema = z.object({ type: z.string(), data: z.string(), width: z.number(), height: z.number() })

const ART_COLUMNS: readonly Column<z.infer<typeof artSchema>>[] = [
  { title: "type", value: ({ type }) => type },
  { title: "size", value: ({ width, height }) => `${width} x ${height}` },
]

const listOptions = listOptionsSchema.extend({
  merchant: z.string().optional(),
  status: z.string().optional(),
  lastFour: z.string().optional(),
})
const ID_AND_FILE = z.tuple([z.string(), z.string()])

export function addNetworkTokensCommands(program: Command, line: CommandLine): void {
  const tokens = program
    .command("network-tokens")
    .helpCommand(false)
    .description("card numbers that work at one merchant only, and their cryptograms")

  defineAction(
    line,
    tokens
      .command("create")
      .argument("<file>", "card and merchant as JSON; - reads standard input")
      .description("Create a network token for a card at a merchant."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, _options, [file]) => {
      const body = await readJsonObject(host, file)
      await showAnswer(await asApp(), output, { method: "POST", path: PATH, body }, tokenSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    addListOptions(
      tokens.command("list").description("List the app's network tokens, without their numbers."),
    )
      .option("--merchant <id>", "only those of a merchant")
      .option("--status <status>", "only those with a status, such as active")
      .option("--last-four <digits>", "only those whose card's number ends with these digits"),
    { options: listOptions, arguments: NO_ARGUMENTS },
    async ({ asApp, output }, { merchant, status, lastFour, ...options }) => {
      const call = { path: PATH, query: { merchant, status, lastFour } }
      await printList(await asApp(), output, call, options, tokenSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    tokens.command("get").argument("<id>", "network token").description("Show a network token."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [id]) => {
      await showAnswer(await asApp(), output, { method: "GET", path: [...PATH, id] }, tokenSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    tokens
      .command("cryptogram")
      .argument("<id>", "network token")
      .description("Get a cryptogram for one payment. It is shown only once; -q prints just the cryptogram."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [id]) => {
      const call = { method: "POST", path: [...PATH, id, "cryptograms"] } as const
      const service = await asApp()
      await showSecret(service, output, call, cryptogramSchema, CRYPTOGRAM_COLUMNS, (made) => made.cryptogram)
    },
  )

  defineAction(
    line,
    tokens
      .command("card-art")
      .argument("<id>", "network token")
      .description("Show details of the card art. -q prints the image in base64."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [id]) => {
      const call = { method: "GET", path: [...PATH, id, "card-art"] } as const
      await showReply(await asApp(), output, call, artSchema, ART_COLUMNS, ({ data }) => data)
    },
  )

  defineAction(
    line,
    tokens
      .command("simulate")
      .argument("<id>", "network token")
      .argument("<file>", "the update as JSON; - reads standard input")
      .description("Change a network token of a sandbox app as its network would."),
    { options: NO_OPTIONS, arguments: ID_AND_FILE },
    async ({ asApp, output, host }, _options, [id, file]) => {
      const body = await readJsonObject(host, file)
      const call = { method: "POST", path: [...PATH, id, "simulate"], body } as const
      await showAnswer(await asApp(), output, call, tokenSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    addYesOption(
      tokens
        .command("delete")
        .argument("<id>", "network token")
        .description("Delete a network token, also at its network."),
    ),
    { options: yesOptionSchema, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, options, [id]) => {
      await askBefore(host, options, `Delete the network token ${id}?`)
      const service = await asApp()
      await service.send({ method: "DELETE", path: [...PATH, id] })
      output.note(`Deleted ${id}.`)
    },
  )
}

import type { Command } from "commander"
import * as z from "zod"
import { readAnswer } from "../service/answers.ts"
import { addListOptions, listOptionsSchema, printList } from "../service/list-pages.ts"
import { readJsonObject } from "../service/payment-body.ts"
import { showAnswer } from "../service/show-answer.ts"
import {
  type CommandLine,
  defineAction,
  NO_ARGUMENTS,
  NO_OPTIONS,
  ONE_ARGUMENT,
} from "../session/define-action.ts"
import { formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const PATH = ["payments", "3ds-sessions"]

const sessionSchema = z.object({
  id: z.string(),
  status: z.string(),
  failureReason: z.string().optional(),
  nextAction: z.object({ url: z.string() }).optional(),
  authentication: z.object({ flow: z.string() }).optional(),
  eci: z.object({ value: z.string(), liabilityShift: z.boolean() }).optional(),
  card: z.object({ brand: z.string().nullable(), lastFour: z.string() }),
  version: z.string(),
  createdAt: z.number(),
})

const COLUMNS: readonly Column<z.infer<typeof sessionSchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "status", value: ({ status }) => status },
  { title: "reason", value: ({ failureReason = "" }) => failureReason },
  { title: "flow", value: ({ authentication }) => authentication?.flow ?? "" },
  { title: "eci", value: ({ eci }) => eci?.value ?? "" },
  { title: "shift", value: ({ eci }) => (eci === undefined ? "" : eci.liabilityShift ? "yes" : "no") },
  { title: "card", value: ({ card }) => `${card.brand ?? "card"} ${card.lastFour}` },
  { title: "version", value: ({ version }) => version },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "open", value: ({ nextAction }) => nextAction?.url ?? "" },
]

/** A list has nothing that opens a session. */
const LIST_COLUMNS = COLUMNS.filter(({ title }) => title !== "open")

const listOptions = listOptionsSchema.extend({
  merchant: z.string().optional(),
  status: z.string().optional(),
})

const messagesSchema = z.object({
  messages: z.array(z.object({ type: z.string(), createdAt: z.number(), data: z.unknown() })),
})

const MESSAGE_COLUMNS: readonly Column<z.infer<typeof messagesSchema>["messages"][number]>[] = [
  { title: "type", value: ({ type }) => type },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "message", value: ({ data }) => JSON.stringify(data) },
]

export function add3dsSessionsCommands(program: Command, line: CommandLine): void {
  const sessions = program
    .command("3ds-sessions")
    .helpCommand(false)
    .description("authenticate cardholders with 3-D Secure")

  defineAction(
    line,
    sessions
      .command("create")
      .argument("<file>", "the session as JSON; - reads standard input")
      .description("Create a session, and print the URL that opens it in a browser."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, _options, [file]) => {
      const body = await readJsonObject(host, file)
      await showAnswer(await asApp(), output, { method: "POST", path: PATH, body }, sessionSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    addListOptions(sessions.command("list").description("List the app's sessions and their outcomes."))
      .option("--merchant <id>", "only those of a merchant")
      .option("--status <status>", "only action-required, success or failure"),
    { options: listOptions, arguments: NO_ARGUMENTS },
    async ({ asApp, output }, { merchant, status, ...options }) => {
      const call = { path: PATH, query: { merchant, status } }
      await printList(await asApp(), output, call, options, sessionSchema, LIST_COLUMNS)
    },
  )

  defineAction(
    line,
    sessions.command("get").argument("<id>", "session").description("Show a session and its outcome."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [id]) => {
      const call = { method: "GET", path: [...PATH, id] } as const
      await showAnswer(await asApp(), output, call, sessionSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    sessions
      .command("messages")
      .argument("<id>", "session")
      .description("List the messages of a session, without the data that must not be stored."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [id]) => {
      const service = await asApp()
      const answer = await service.send({ method: "GET", path: [...PATH, id, "messages"] })
      const { text, value } = await readAnswer(answer, messagesSchema)
      if (output.mode === "json") output.json(text)
      else output.rows(MESSAGE_COLUMNS, value.messages)
    },
  )
}

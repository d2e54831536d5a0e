import {
  create3dsSession,
  get3dsSession,
  list3dsMessages,
  list3dsSessions,
  type SuccessfulThreeDSSession,
  type ThreeDSMessages,
  type ThreeDSSession,
} from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { addResource, choice, filter } from "../session/add-resource.ts"
import { type CommandLine, defineAction, NO_OPTIONS, ONE_ARGUMENT } from "../session/define-action.ts"
import { formatJson, formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const shiftOf = ({ eci }: SuccessfulThreeDSSession) => (eci.liabilityShift ? "yes" : "no")

const COLUMNS: readonly Column<ThreeDSSession>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "status", value: ({ status }) => status },
  { title: "reason", value: (session) => (session.status === "failure" ? session.failureReason : "") },
  { title: "flow", value: (session) => (session.status === "success" ? session.authentication.flow : "") },
  { title: "eci", value: (session) => (session.status === "success" ? session.eci.value : "") },
  { title: "shift", value: (session) => (session.status === "success" ? shiftOf(session) : "") },
  { title: "card", value: ({ card }) => `${card.brand ?? "card"} ${card.lastFour}` },
  { title: "version", value: ({ version }) => version },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
  {
    title: "open",
    value: (session) => (session.status === "action-required" ? (session.nextAction?.url ?? "") : ""),
  },
]

/** A list has nothing that opens a session. */
const LIST_COLUMNS = COLUMNS.filter(({ title }) => title !== "open")

const MESSAGE_COLUMNS: readonly Column<ThreeDSMessages["messages"][number]>[] = [
  { title: "type", value: ({ type }) => type },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "message", value: ({ data }) => JSON.stringify(data) },
]

export function add3dsSessionsCommands(program: Command, line: CommandLine): void {
  const sessions = program
    .command("3ds-sessions")
    .helpCommand(false)
    .description("authenticate cardholders with 3-D Secure")

  addResource(sessions, line, {
    columns: COLUMNS,
    id: ["id", "session"],
    list: {
      about: "List the app's sessions and their outcomes.",
      columns: LIST_COLUMNS,
      filters: z.object({
        merchant: filter("--merchant <id>", "only those of a merchant"),
        status: choice("--status <status>", "only those with this status", [
          "action-required",
          "success",
          "failure",
        ]),
      }),
      call: ({ service, page, filters }) => list3dsSessions(service, { ...page, ...filters }),
    },
    records: {
      create: {
        about: "Create a session, and print the URL that opens it in a browser.",
        takesId: false,
        file: "the session as JSON",
        call: ({ service, body }) => create3dsSession(service, { body }),
      },
      get: {
        about: "Show a session and its outcome.",
        call: ({ service, args: [sessionId] }) => get3dsSession(service, { sessionId }),
      },
    },
  })

  defineAction(
    line,
    sessions
      .command("messages")
      .argument("<id>", "session")
      .description("List the messages of a session, without the data that must not be stored."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [sessionId]) => {
      const answer = await list3dsMessages(await asApp(), { sessionId })
      if (output.mode === "json") output.json(formatJson(answer))
      else output.rows(MESSAGE_COLUMNS, answer.messages)
    },
  )
}

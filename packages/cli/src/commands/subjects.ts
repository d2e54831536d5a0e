import type { Command } from "commander"
import * as z from "zod"
import { listSchema, readAnswer } from "../service/answers.ts"
import { addListOptions, listOptionsSchema, printList } from "../service/list-pages.ts"
import type { ServiceClient } from "../service/service-client.ts"
import { showAnswer } from "../service/show-answer.ts"
import {
  type CommandLine,
  defineAction,
  NO_ARGUMENTS,
  NO_OPTIONS,
  ONE_ARGUMENT,
} from "../session/define-action.ts"
import { addYesOption, askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import { CommandFailure } from "../terminal/failures.ts"
import { formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const PATH = ["data-subjects"]
const ID_PREFIX = "data_subject_"
const SUBJECT = "data subject: your id of it, or Sealway's"

const subjectSchema = z.object({
  id: z.string(),
  status: z.string(),
  createdAt: z.number(),
  eraseAt: z.number().nullable(),
  erasedAt: z.number().nullable(),
})

const timeOrNone = (timeMs: number | null) => (timeMs === null ? "" : formatTime(timeMs))

const COLUMNS: readonly Column<z.infer<typeof subjectSchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "status", value: ({ status }) => status },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "undo until", value: ({ status, eraseAt }) => (status === "pending" ? timeOrNone(eraseAt) : "") },
  { title: "erased", value: ({ erasedAt }) => timeOrNone(erasedAt) },
]

export function addSubjectCommands(program: Command, line: CommandLine): void {
  const subjects = program
    .command("subjects")
    .helpCommand(false)
    .description("data subjects: people whose values can be erased everywhere at once")

  defineAction(
    line,
    addListOptions(
      subjects.command("list").description("List the app's data subjects, in the order of their random ids."),
    ),
    { options: listOptionsSchema, arguments: NO_ARGUMENTS },
    async ({ asApp, output }, options) => {
      await printList(await asApp(), output, { path: PATH }, options, subjectSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    subjects.command("get").argument("<subject>", SUBJECT).description("Show a data subject."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [subject]) => {
      const service = await asApp()
      const path = [...PATH, await idOf(service, subject)]
      await showAnswer(service, output, { method: "GET", path }, subjectSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    addYesOption(
      subjects
        .command("delete")
        .argument("<subject>", SUBJECT)
        .description(
          "Erase a data subject: nothing of it can be decrypted any more, wherever its tokens are.",
        ),
    ),
    { options: yesOptionSchema, arguments: ONE_ARGUMENT },
    async ({ asApp, output, host }, options, [subject]) => {
      const service = await asApp()
      const id = await idOf(service, subject)
      await askBefore(host, options, `Erase the data subject ${id} and everything that is encrypted for it?`)
      const call = { method: "DELETE", path: [...PATH, id] } as const
      await showAnswer(service, output, call, subjectSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    subjects
      .command("restore")
      .argument("<subject>", SUBJECT)
      .description("Undo the erasure of a data subject, until its undo window ends."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asApp, output }, _options, [subject]) => {
      const service = await asApp()
      const path = [...PATH, await idOf(service, subject), "restore"]
      await showAnswer(service, output, { method: "POST", path }, subjectSchema, COLUMNS)
    },
  )
}

/** Returns Sealway's id of a data subject. Yours is sent in a header, because paths are written to logs. */
async function idOf(service: ServiceClient, subject: string): Promise<string> {
  if (subject.startsWith(ID_PREFIX)) return subject
  const headers = { "x-service-data-subject": subject }
  const response = await service.send({ method: "GET", path: PATH, headers })
  const [found] = (await readAnswer(response, listSchema)).value.data
  if (found === undefined) {
    throw new CommandFailure("not-found", "There is no data subject with this id, or it is erased.")
  }
  return found.id
}

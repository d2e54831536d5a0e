import {
  type DataSubject,
  deleteDataSubject,
  getDataSubject,
  listDataSubjects,
  restoreDataSubject,
  type Transport,
} from "@sealway/sdk/api"
import type { Command } from "commander"
import { addResource } from "../session/add-resource.ts"
import { type CommandLine, NO_OPTIONS } from "../session/define-action.ts"
import { CommandFailure } from "../terminal/failures.ts"
import { formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const ID_PREFIX = "data_subject_"

const timeOrNone = (timeMs: number | null) => (timeMs === null ? "" : formatTime(timeMs))

const COLUMNS: readonly Column<DataSubject>[] = [
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

  addResource(subjects, line, {
    columns: COLUMNS,
    id: ["subject", "data subject: your id of it, or Sealway's"],
    list: {
      about: "List the app's data subjects, in the order of their random ids.",
      filters: NO_OPTIONS,
      call: ({ service, page }) => listDataSubjects(service, page),
    },
    records: {
      get: {
        about: "Show a data subject.",
        call: async ({ service, args: [subject] }) =>
          getDataSubject(service, { dataSubjectId: await idOf(service, subject) }),
      },
      delete: {
        about: "Erase a data subject: nothing of it can be decrypted any more, wherever its tokens are.",
        asks: true,
        call: async ({ service, args: [subject], ask }) => {
          const dataSubjectId = await idOf(service, subject)
          await ask(`Erase the data subject ${dataSubjectId} and everything that is encrypted for it?`)
          return deleteDataSubject(service, { dataSubjectId })
        },
      },
      restore: {
        about: "Undo the erasure of a data subject, until its undo window ends.",
        call: async ({ service, args: [subject] }) =>
          restoreDataSubject(service, { dataSubjectId: await idOf(service, subject) }),
      },
    },
  })
}

/** Returns Sealway's id of a data subject. Yours is sent in a header, because paths are written to logs. */
async function idOf(service: Transport, subject: string): Promise<string> {
  if (subject.startsWith(ID_PREFIX)) return subject
  const [found] = await listDataSubjects(service, { dataSubject: subject }).first()
  if (found === undefined) {
    throw new CommandFailure("not-found", "There is no data subject with this id, or it is erased.")
  }
  return found.id
}

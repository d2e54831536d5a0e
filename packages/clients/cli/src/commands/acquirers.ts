import {
  type Acquirer,
  createAcquirer,
  deleteAcquirer,
  getAcquirer,
  listAcquirers,
  updateAcquirer,
} from "@sealway/sdk/api"
import type { Command } from "commander"
import { addResource } from "../session/add-resource.ts"
import { type CommandLine, NO_OPTIONS } from "../session/define-action.ts"
import { formatList, formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const COLUMNS: readonly Column<Acquirer>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name },
  { title: "default", value: (acquirer) => (acquirer.default ? "yes" : "no") },
  {
    title: "networks",
    value: ({ configurations }) =>
      formatList(configurations.map(({ network, state }) => `${network} ${state}`)),
  },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]

export function addAcquirersCommands(program: Command, line: CommandLine): void {
  const acquirers = program
    .command("acquirers")
    .helpCommand(false)
    .description("merchants' banks and their enrolment with the card networks")

  addResource(acquirers, line, {
    columns: COLUMNS,
    id: ["id", "acquirer"],
    list: {
      about: "List the app's acquirers.",
      filters: NO_OPTIONS,
      isNumbered: true,
      call: ({ service }) => listAcquirers(service),
    },
    records: {
      create: {
        about: "Create an acquirer, and enrol it with the card networks.",
        takesId: false,
        file: "the acquirer as JSON",
        call: ({ service, body }) => createAcquirer(service, { body }),
      },
      get: {
        about: "Show an acquirer and the state of its enrolments.",
        call: ({ service, args: [acquirerId] }) => getAcquirer(service, { acquirerId }),
      },
      update: {
        about: "Change an acquirer. Fields that you leave out stay unchanged.",
        file: "what to change, as JSON",
        call: ({ service, args: [acquirerId], body }) => updateAcquirer(service, { acquirerId, body }),
      },
    },
    delete: {
      about: "Delete an acquirer, and withdraw its enrolments.",
      question: (id) => `Delete the acquirer ${id}?`,
      call: ({ service, args: [acquirerId] }) => deleteAcquirer(service, { acquirerId }),
    },
  })
}

import { resolve } from "node:path"
import { formatCount } from "@sealway/kernel"
import { type Command, Option } from "commander"
import * as z from "zod"
import { importFile } from "../bins/import-file.ts"
import { indexFile } from "../bins/index-file.ts"
import { boundGarbage, garbageCollector } from "../bulk/bound-garbage.ts"
import { readAnswer } from "../service/answers.ts"
import { jsonBody } from "../service/json-body.ts"
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
import { CommandFailure, UsageFailure } from "../terminal/failures.ts"
import { formatTime } from "../terminal/format.ts"
import type { Column, Output } from "../terminal/output.ts"

const PATH = ["payments", "bin-tables"]

const tableSchema = z.object({
  id: z.string(),
  name: z.string(),
  status: z.string(),
  rows: z.number(),
  createdAt: z.number(),
})

const COLUMNS: readonly Column<z.infer<typeof tableSchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name },
  { title: "status", value: ({ status }) => status },
  { title: "rows", value: ({ rows }) => String(rows) },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]

const importOptions = z.object({
  name: z.string().optional(),
  resume: z.string().optional(),
  delimiter: z.string().length(1, "--delimiter must be one character").default(","),
  activate: z.boolean().default(true),
})

export function addBinsCommands(program: Command, line: CommandLine): void {
  const bins = program
    .command("bins")
    .helpCommand(false)
    .description("tables of BIN data for lookups (team key)")

  defineAction(
    line,
    bins
      .command("import")
      .argument("<file>", "CSV with a header")
      .summary("import a BIN table from a CSV file")
      .description(
        "Creates a BIN table from a CSV file and activates it. Columns are from, to, brand, funding, segment, country, currency, " +
          "issuer, productName, type and, as JSON, fastFunds and threeDS; others are ignored. from and to are the first 6 to 10 " +
          "digits of a range; without to, the range is one prefix. The records may be in any order.",
      )
      .option("--name <name>", "display name (default: the file's name)")
      .option("--delimiter <character>", "character between cells (default: a comma)")
      .addOption(
        new Option("--resume <id>", "resume an interrupted import of this file into this table").conflicts(
          "name",
        ),
      )
      .option("--no-activate", "import without activating the table")
      .addHelpText(
        "after",
        `
Examples:
  sealway bins import ranges.csv
  sealway bins import ranges.csv --resume bin_table_01kamf…`,
      ),
    { options: importOptions, arguments: ONE_ARGUMENT },
    async ({ asTeam, output, host }, { name, resume, delimiter, activate }, [path]) => {
      boundGarbage()
      const file = indexFile(resolve(host.folder, path), delimiter, (records) =>
        output.progress(`${formatCount(records)} records read …`),
      )
      try {
        noteUnknownColumns(output, file.unknownColumns)
        const service = await asTeam()
        const table = await openTable(service, resume ?? null, name ?? nameOf(path))
        await importFile({
          ...{ service, file, tableId: table.id, from: table.rows, collect: garbageCollector() },
          onProgress: (rows) =>
            output.progress(`${formatCount(rows)} of ${formatCount(file.size)} rows sent …`),
        }).catch((error: unknown) => {
          throw withResume(error, path, table.id)
        })
        const call = activate
          ? ({ method: "POST", path: [...PATH, table.id, "activate"] } as const)
          : ({ method: "GET", path: [...PATH, table.id] } as const)
        await showAnswer(service, output, call, tableSchema, COLUMNS)
      } finally {
        file.close()
      }
    },
  )

  defineAction(
    line,
    addListOptions(bins.command("list").description("List the team's BIN tables.")),
    { options: listOptionsSchema, arguments: NO_ARGUMENTS },
    async ({ asTeam, output }, options) => {
      await printList(await asTeam(), output, { path: PATH }, options, tableSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    bins
      .command("activate")
      .argument("<id>", "BIN table id")
      .description("Activate a table instead of the active one. Activate an earlier table to go back to it."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asTeam, output }, _options, [id]) => {
      const call = { method: "POST", path: [...PATH, id, "activate"] } as const
      await showAnswer(await asTeam(), output, call, tableSchema, COLUMNS)
    },
  )

  defineAction(
    line,
    addYesOption(bins.command("delete").argument("<id>", "BIN table id").description("Delete a BIN table.")),
    { options: yesOptionSchema, arguments: ONE_ARGUMENT },
    async ({ asTeam, output, host }, options, [id]) => {
      await askBefore(host, options, `Delete the BIN table ${id} and its rows?`)
      await (await asTeam()).send({ method: "DELETE", path: [...PATH, id] })
      output.note(`Deleted the BIN table ${id}.`)
    },
  )
}

async function openTable(service: ServiceClient, resume: string | null, name: string) {
  const response =
    resume === null
      ? await service.send({ method: "POST", path: PATH, body: jsonBody({ name }) })
      : await service.send({ method: "GET", path: [...PATH, resume] })
  const { value: table } = await readAnswer(response, tableSchema)
  if (table.status === "importing") return table
  throw new UsageFailure(`The BIN table ${table.id} accepts no more rows: it is ${table.status}.`)
}

function noteUnknownColumns(output: Output, unknown: readonly string[]): void {
  if (unknown.length > 0) output.note(`Ignored columns: ${unknown.join(", ")}.`)
}

function nameOf(path: string): string {
  return (path.split(/[\\/]/).at(-1) ?? "").replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "").slice(0, 100) || "BIN table"
}

/** Says how to resume. */
function withResume(error: unknown, path: string, id: string): unknown {
  if (!(error instanceof CommandFailure)) return error
  const { code, message, exitCode, details } = error
  const hint = `The rows sent so far are kept in ${id}. To resume: sealway bins import ${path} --resume ${id}`
  return new CommandFailure(code, message, exitCode, { details: [...details, hint], cause: error })
}

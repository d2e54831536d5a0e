import { resolve } from "node:path"
import { formatCount } from "@sealway/kernel"
import {
  activateBinTable,
  type BinTable,
  createBinTable,
  deleteBinTable,
  getBinTable,
  listBinTables,
  type Transport,
} from "@sealway/sdk/api"
import { type Command, Option } from "commander"
import * as z from "zod"
import { importFile } from "../bins/import-file.ts"
import { indexFile } from "../bins/index-file.ts"
import { boundGarbage, garbageCollector } from "../bulk/bound-garbage.ts"
import { showRecord } from "../service/show.ts"
import { addResource } from "../session/add-resource.ts"
import { type CommandLine, defineAction, NO_OPTIONS, ONE_ARGUMENT } from "../session/define-action.ts"
import { withHint } from "../terminal/failure-of.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatTime } from "../terminal/format.ts"
import type { Column, Output } from "../terminal/output.ts"

const COLUMNS: readonly Column<BinTable>[] = [
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
          service,
          file,
          tableId: table.id,
          from: table.rows,
          collect: garbageCollector(),
          onProgress: (rows) =>
            output.progress(`${formatCount(rows)} of ${formatCount(file.size)} rows sent …`),
        }).catch((error: unknown) => {
          const resumed = `sealway bins import ${path} --resume ${table.id}`
          throw withHint(error, `The rows sent so far are kept in ${table.id}. To resume: ${resumed}`)
        })
        const done = activate ? activateBinTable : getBinTable
        await showRecord(output, done(service, { binTableId: table.id }), COLUMNS)
      } finally {
        file.close()
      }
    },
  )

  addResource(bins, line, {
    as: "team",
    columns: COLUMNS,
    id: ["id", "BIN table id"],
    list: {
      about: "List the team's BIN tables.",
      filters: NO_OPTIONS,
      call: ({ service, page }) => listBinTables(service, page),
    },
    records: {
      activate: {
        about: "Activate a table instead of the active one. Activate an earlier table to go back to it.",
        call: ({ service, args: [binTableId] }) => activateBinTable(service, { binTableId }),
      },
    },
    delete: {
      about: "Delete a BIN table.",
      question: (id) => `Delete the BIN table ${id} and its rows?`,
      call: ({ service, args: [binTableId] }) => deleteBinTable(service, { binTableId }),
      done: "Deleted the BIN table",
    },
  })
}

async function openTable(service: Transport, resume: string | null, name: string): Promise<BinTable> {
  const table =
    resume === null
      ? await createBinTable(service, { body: { name } })
      : await getBinTable(service, { binTableId: resume })
  if (table.status === "importing") return table
  throw new UsageFailure(`The BIN table ${table.id} accepts no more rows: it is ${table.status}.`)
}

function noteUnknownColumns(output: Output, unknown: readonly string[]): void {
  if (unknown.length > 0) output.note(`Ignored columns: ${unknown.join(", ")}.`)
}

function nameOf(path: string): string {
  return (path.split(/[\\/]/).at(-1) ?? "").replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "").slice(0, 100) || "BIN table"
}

import { type Command, Option } from "commander"
import * as z from "zod"
import { UsageFailure } from "../terminal/failures.ts"

const DEFAULT_CONCURRENCY = 8
const MAX_CONCURRENCY = 64
/** A request with this many short values takes the service a few milliseconds, mostly for encryption. */
const DEFAULT_BATCH_ROWS = 2_000
const MAX_BATCH_ROWS = 10_000

const wholeNumber = (option: string, max: number) =>
  z
    .string()
    .regex(/^[1-9][0-9]{0,5}$/)
    .transform(Number)
    .refine((number) => number <= max)
    .or(z.undefined().transform(() => undefined))
    .optional()
    .catch(() => {
      throw new UsageFailure(`${option} must be a whole number from 1 to ${max}.`)
    })

/** The table options of a command, in addition to its own. */
export const tableOptionsSchema = z.object({
  columns: z.string().min(1, "--columns must name at least one column").optional(),
  fields: z.array(z.string()).optional(),
  delimiter: z
    .string()
    .regex(
      /^[\t\x20\x21\x23-\x7e]$/,
      "--delimiter must be one ASCII character, but not a quote or a line break",
    )
    .optional(),
  concurrency: wholeNumber("--concurrency", MAX_CONCURRENCY),
  batchRows: wholeNumber("--batch-rows", MAX_BATCH_ROWS),
  restart: z.boolean().optional(),
  keepGoing: z.boolean().optional(),
})

export type GivenTableOptions = z.infer<typeof tableOptionsSchema>

/** What a table is, and how to process it. */
export interface TableOptions {
  /** CSV: the text of `--columns`; NDJSON: selectors. */
  readonly selection: { readonly columns: string } | { readonly fields: readonly string[] }
  readonly delimiter: string
  readonly concurrency: number
  /** Rows per request. */
  readonly batchRows: number
  readonly restarts: boolean
  readonly keepsGoing: boolean
}

/** @param others names of options that cannot be combined with a table */
export function addTableOptions(command: Command, others: readonly string[]): Command {
  return command
    .optionsGroup("For a whole table:")
    .addOption(
      new Option("--columns <names>", "columns of a CSV file with a header, separated by commas").conflicts([
        ...others,
        "fields",
      ]),
    )
    .addOption(
      new Option(
        "--fields <path>",
        "JSONPath of the values in NDJSON, one document per line; may be repeated",
      )
        .argParser((path: string, before: readonly string[] = []) => [...before, path])
        .conflicts([...others, "delimiter"]),
    )
    .option("--delimiter <character>", "character between columns (default: a comma)")
    .option(
      "--concurrency <n>",
      `parallel requests, up to ${MAX_CONCURRENCY} (default: ${DEFAULT_CONCURRENCY})`,
    )
    .option("--batch-rows <n>", `maximum rows per request (default: ${DEFAULT_BATCH_ROWS})`)
    .option("--restart", "discard the progress of an interrupted run")
    .option("--keep-going", "do not stop after 1,000 consecutive failed rows")
}

/** @returns null when the command was given no table. @throws UsageFailure when only other table options are given */
export function readTableOptions(given: GivenTableOptions): TableOptions | null {
  const { columns, fields, delimiter, concurrency, batchRows, restart, keepGoing } = given
  const rest = {
    delimiter: delimiter ?? ",",
    concurrency: concurrency ?? DEFAULT_CONCURRENCY,
    batchRows: batchRows ?? DEFAULT_BATCH_ROWS,
    restarts: restart ?? false,
    keepsGoing: keepGoing ?? false,
  }
  if (columns !== undefined) return { selection: { columns }, ...rest }
  if (fields !== undefined) return { selection: { fields }, ...rest }
  if ([delimiter, concurrency, batchRows, restart, keepGoing].some((value) => value !== undefined)) {
    throw new UsageFailure("Pass --columns for CSV, or --fields for NDJSON.")
  }
  return null
}

import { randomInt } from "node:crypto"
import { UsageFailure } from "../terminal/failures.ts"
import { type CsvSurvey, type SampledCell, type SampledRow, surveyCsv, withRows } from "./csv-survey.ts"
import { makeUpCell } from "./made-up-cell.ts"

const TOKEN = /^ev:[A-Za-z0-9+/:=]+:\$$/
/** How many sampled cells of a column are looked at. */
const MODELS = 200

export interface SowOptions {
  /** Columns that get honey tokens. */
  readonly columns: readonly string[]
  /** Columns that stay empty, for what the database fills in. */
  readonly empty: readonly string[]
  /** How many rows are made up. */
  readonly rows: number
  readonly delimiter: string
}

/** Creates a honey token. @param like a token of the same column */
export type CreateHoney = (column: string, like: string) => Promise<string>

/** What was read, and the rows to add. */
export interface SownRows {
  /** The table with the rows in it. @param chunks the same table again */
  write(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
}

/**
 * Makes up rows at random places of a table.
 *
 * @throws UsageFailure when the table has no such columns, or tokens in other ones: a made-up row without them, or with
 * those of a person, would be easy to tell
 */
export async function sowRows(
  chunks: AsyncIterable<Uint8Array>,
  { columns, empty, rows, delimiter }: SowOptions,
  createHoney: CreateHoney,
): Promise<SownRows> {
  const survey = await surveyCsv(chunks, delimiter, randomInt)
  if (survey === null || survey.rows === 0) {
    throw new UsageFailure("The table has no rows. Rows are made up after those that it has.")
  }
  requireColumns(survey, [...columns, ...empty])
  requireTokens(survey, columns)
  const added = new Map<number, SampledRow[]>()
  for (let made = 0; made < rows; made++) {
    const row = await makeUpRow(survey, { columns, empty }, createHoney)
    const place = randomInt(survey.rows)
    added.set(place, [...(added.get(place) ?? []), row])
  }
  return { write: (again) => withRows(again, survey, delimiter, added) }
}

function requireColumns({ columns }: CsvSurvey, wanted: readonly string[]): void {
  const unknown = wanted.find((name) => !columns.includes(name))
  if (unknown !== undefined) throw new UsageFailure(`The header has no column ${unknown}.`)
}

function requireTokens({ columns, sample }: CsvSurvey, wanted: readonly string[]): void {
  for (const [index, name] of columns.entries()) {
    const hasTokens = sample.some((row) => TOKEN.test(row[index]?.text ?? ""))
    const isWanted = wanted.includes(name)
    if (isWanted && !hasTokens) throw new UsageFailure(`The column ${name} has no encrypted values.`)
    if (!isWanted && hasTokens) {
      throw new UsageFailure(`The column ${name} has encrypted values too. Pass --column ${name} as well.`)
    }
  }
}

async function makeUpRow(
  { columns, sample }: CsvSurvey,
  wanted: Pick<SowOptions, "columns" | "empty">,
  createHoney: CreateHoney,
): Promise<SampledRow> {
  const cells: SampledCell[] = []
  for (const [index, name] of columns.entries()) {
    const models = Array.from({ length: MODELS }, () => sample[randomInt(sample.length)]?.[index])
    const [model] = models
    const isQuoted = model?.isQuoted ?? false
    const texts = models.map((each) => each?.text ?? "")
    if (wanted.empty.includes(name)) cells.push({ text: "", isQuoted: false })
    else if (wanted.columns.includes(name)) {
      const like = texts.find((text) => TOKEN.test(text)) ?? tokenIn(sample, index)
      cells.push({ text: await createHoney(name, like), isQuoted })
    } else cells.push({ text: makeUpCell(texts, randomInt), isQuoted })
  }
  return cells
}

/** For a column with few tokens. */
function tokenIn(sample: readonly SampledRow[], index: number): string {
  return sample.map((row) => row[index]?.text ?? "").find((text) => TOKEN.test(text)) ?? ""
}

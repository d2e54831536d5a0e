import { randomInt } from "node:crypto"
import { UsageFailure } from "../terminal/failures.ts"
import { type CsvSurvey, type SampledCell, type SampledRow, surveyCsv, withRows } from "./csv-survey.ts"
import { makeUpCell } from "./made-up-cell.ts"

const TOKEN = /^ev:[A-Za-z0-9+/:=]+:\$$/
/** How many sampled cells of a column are looked at. */
const LOOKED_AT = 200
/** How many honey tokens can share the key segment of a token. */
const MAX_BESIDE = 5

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
  const models = chooseModels(survey, columns, rows)
  const added = new Map<number, SampledRow[]>()
  for (const model of models) {
    const row = await makeUpRow(survey, model, { columns, empty }, createHoney)
    const place = randomInt(survey.rows)
    added.set(place, [...(added.get(place) ?? []), row])
  }
  return { write: (again) => withRows(again, survey, delimiter, added) }
}

/**
 * Chooses the rows whose tokens are models. All tokens of a made-up row are like those of one other row: values of a row
 * are often encrypted together, and then have the same key segment, which few honey tokens can share.
 *
 * @throws UsageFailure when there are too few rows that were encrypted at different times
 */
function chooseModels(
  { columns, sample }: CsvSurvey,
  wanted: readonly string[],
  rows: number,
): readonly SampledRow[] {
  const indexes = wanted.map((name) => columns.indexOf(name))
  const beside = new Map<string, number>()
  const chosen: SampledRow[] = []
  const left = [...sample]
  while (chosen.length < rows && left.length > 0) {
    const at = randomInt(left.length)
    const row = left[at] ?? []
    const next = new Map(beside)
    const segments = indexes.flatMap((index) => keySegmentIn(row[index]))
    for (const segment of segments) next.set(segment, (next.get(segment) ?? 0) + 1)
    if (segments.length === 0 || [...next.values()].some((count) => count > MAX_BESIDE)) {
      left.splice(at, 1)
      continue
    }
    for (const [segment, count] of next) beside.set(segment, count)
    chosen.push(row)
  }
  if (chosen.length === rows) return chosen
  throw new UsageFailure(
    `These values were encrypted together, and at most ${MAX_BESIDE} honey tokens can hide among those of one moment. Pass --rows ${chosen.length} or less.`,
  )
}

/** Returns none for a cell without a token. */
function keySegmentIn(cell: SampledCell | undefined): readonly string[] {
  const text = cell?.text ?? ""
  const segment = TOKEN.test(text) ? text.split(":").at(-3) : undefined
  return segment === undefined ? [] : [segment]
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
  model: SampledRow,
  wanted: Pick<SowOptions, "columns" | "empty">,
  createHoney: CreateHoney,
): Promise<SampledRow> {
  const cells: SampledCell[] = []
  for (const [index, name] of columns.entries()) {
    const { text: like, isQuoted } = model[index] ?? { text: "", isQuoted: false }
    if (wanted.empty.includes(name)) cells.push({ text: "", isQuoted: false })
    else if (!wanted.columns.includes(name)) {
      const looked = Array.from({ length: LOOKED_AT }, () => sample[randomInt(sample.length)]?.[index])
      const text = makeUpCell(
        looked.map((each) => each?.text ?? ""),
        randomInt,
      )
      cells.push({ text, isQuoted })
    } else cells.push({ text: TOKEN.test(like) ? await createHoney(name, like) : "", isQuoted })
  }
  return cells
}

import {
  AmbiguousJsonError,
  type FieldProblem,
  formatCount,
  InvalidRequestError,
  JsonDepthError,
  JsonSyntaxError,
  Pace,
  parseStrictJson,
} from "@sealway/kernel"
import { type BinRow, binRowSchema } from "./bin-row.ts"

/** The maximum number of rows in one request. */
export const MAX_ROWS_PER_REQUEST = 50_000
/** Applies to one line. */
const MAX_LINE_BYTES = 8 * 1024
const MAX_DEPTH = 8
const ROWS_PER_STEP = 64
const LINE_FEED = 0x0a

/**
 * Reads rows, one per line (NDJSON), one after the other, so that the caller needs to keep only one. Skips empty lines.
 *
 * @returns rows, and null where a `Work` that takes them should yield
 * @throws InvalidRequestError naming the first line that is not a row, counted from 0
 */
export function* readBinRows(bytes: Buffer): Generator<BinRow | null, void> {
  let rows = 0
  const pace = new Pace(ROWS_PER_STEP)
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LINE_FEED, start)
    const end = found === -1 ? bytes.length : found
    const line = bytes.subarray(start, end)
    start = end + 1
    if (pace.isDue(line.length)) yield null
    if (line.length > MAX_LINE_BYTES) throw refuse(rows, "", "The line is longer than 8 KB.")
    const text = line.toString()
    if (text.trim() === "") continue
    if (rows >= MAX_ROWS_PER_REQUEST) {
      throw refuse(rows, "", `A request can have at most ${formatCount(MAX_ROWS_PER_REQUEST)} rows.`)
    }
    yield readRow(line, text, rows++)
  }
}

function readRow(line: Buffer, text: string, index: number): BinRow {
  const result = binRowSchema.safeParse(parsePlainLine(text) ?? parseLine(line, index))
  if (result.success) return result.data
  const [issue] = result.error.issues
  const path = (issue?.path ?? []).map((part) => `/${String(part)}`).join("")
  const message = issue?.code === "unrecognized_keys" ? "The row has an unknown field" : issue?.message
  throw refuse(index, path, `${message ?? "The row does not match the schema"}.`)
}

/**
 * Parses a line that is spelled as `JSON.stringify` spells it, which rules out duplicate names. `JSON.parse` leaves a
 * twentieth of the garbage of the strict parser. Null: the strict parser must decide.
 */
function parsePlainLine(text: string): unknown {
  if (text.includes("\\") || text.includes("__proto__")) return null
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? value : null
  } catch {
    return null
  }
}

function parseLine(line: Buffer, index: number): unknown {
  try {
    return parseStrictJson(line, MAX_DEPTH)
  } catch (error) {
    const isKnown =
      error instanceof JsonSyntaxError ||
      error instanceof JsonDepthError ||
      error instanceof AmbiguousJsonError
    if (!isKnown) throw error
    throw refuse(index, "", "The line must be one JSON object without duplicate fields.", error)
  }
}

function refuse(index: number, path: string, reason: string, cause?: unknown): InvalidRequestError {
  const fields: FieldProblem[] = [{ pointer: `/${index}${path}`, reason }]
  return new InvalidRequestError("A row is invalid.", { fields, cause })
}

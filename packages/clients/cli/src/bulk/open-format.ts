import { SealwayError } from "@sealway/kernel"
import { UsageFailure } from "../terminal/failures.ts"
import { byteStringOf } from "./byte-string.ts"
import { createCsvFormat, readCsvHeader, readNames } from "./csv-format.ts"
import type { TableInput } from "./table-input.ts"
import type { TableOptions } from "./table-options.ts"
import { type TableFormat, UnreadableTableError } from "./table-row.ts"

const UTF8_MARK = byteStringOf(Uint8Array.of(0xef, 0xbb, 0xbf))
const UTF16_MARKS = [Uint8Array.of(0xff, 0xfe), Uint8Array.of(0xfe, 0xff)].map((mark) => byteStringOf(mark))
/** Anything else may be data rather than a name: then the header is missing, and data must not be shown. */
const NAME = /^[\p{L}_][\p{L}\p{M}\p{N} _.,:;/()[\]#%&+-]{0,63}$/u
const MAX_LISTED = 50

/**
 * Determines how a table is read: by its header, or by selectors.
 *
 * @throws UsageFailure when it has no such columns, or a selector is invalid
 */
export async function openFormat(
  input: TableInput,
  { selection, delimiter }: TableOptions,
): Promise<TableFormat> {
  const mark = await readMark(input)
  if (UTF16_MARKS.some((each) => mark.startsWith(each))) {
    throw new UsageFailure("The input is UTF-16. Save it as UTF-8 and try again.")
  }
  if ("fields" in selection) return createSelectors(selection.fields)
  const wanted = await namesIn(selection.columns)
  const markBytes = mark === UTF8_MARK ? UTF8_MARK.length : 0
  const header = await readHeader(input.peek(markBytes), delimiter)
  if (header === null)
    throw new UsageFailure("The input is empty. CSV needs a line with the names of its columns.")
  const unknown = wanted.find((name) => !header.columns.includes(name))
  if (unknown !== undefined) {
    throw new UsageFailure(`The header has no column ${unknown}.`, { details: listColumns(header.columns) })
  }
  const bytes = mark.slice(0, markBytes) + header.bytes
  return createCsvFormat({ ...header, bytes }, wanted, delimiter)
}

/** Returns the first three bytes, where a byte order mark would be. */
async function readMark(input: TableInput): Promise<string> {
  let first = ""
  for await (const chunk of input.peek(0)) {
    first += byteStringOf(chunk.subarray(0, UTF8_MARK.length))
    if (first.length >= UTF8_MARK.length) break
  }
  return first.slice(0, UTF8_MARK.length)
}

async function readHeader(chunks: AsyncIterable<Uint8Array>, delimiter: string) {
  try {
    return await readCsvHeader(chunks, delimiter)
  } catch (error) {
    if (!(error instanceof UnreadableTableError)) throw error
    throw new UsageFailure(`The header cannot be read: ${error.message}`, { cause: error })
  }
}

async function createSelectors(fields: readonly string[]): Promise<TableFormat> {
  const { createNdjsonFormat } = await import("./ndjson-format.ts")
  try {
    return createNdjsonFormat(fields)
  } catch (error) {
    if (!(error instanceof SealwayError)) throw error
    throw new UsageFailure(`--fields: ${error.message}`, { cause: error })
  }
}

/** Parses names. Those with a comma are quoted, as in CSV: `--columns 'card,"name, first"'`. */
async function namesIn(text: string): Promise<readonly string[]> {
  const names: string[] = []
  try {
    for await (const { columns } of readNames(chunkOf(text), ",")) names.push(...columns)
  } catch (error) {
    if (!(error instanceof UnreadableTableError)) throw error
    throw new UsageFailure("--columns must be a list of names, separated by commas.", { cause: error })
  }
  return [...new Set(names)]
}

async function* chunkOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

function listColumns(columns: readonly string[]): readonly string[] {
  const names = columns.filter((column) => NAME.test(column))
  const listed = names.slice(0, MAX_LISTED)
  const others = columns.length - listed.length
  return [
    ...(listed.length > 0 ? [`Columns: ${listed.join(", ")}`] : []),
    ...(names.length < columns.length
      ? [
          "The first line is not a header of column names. Is the header missing, or do you need another --delimiter?",
        ]
      : others > 0
        ? [`and ${others} more`]
        : []),
  ]
}

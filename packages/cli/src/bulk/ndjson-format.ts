import { isUtf8 } from "node:buffer"
import { compileJsonPath, locateJson, UnreadableBodyError } from "@sealway/relay-engine"
import { byteStringOf } from "./byte-string.ts"
import { type Line, readLines } from "./read-lines.ts"
import { spliceRow } from "./splice-row.ts"
import {
  MAX_ROW_BYTES,
  MAX_ROW_VALUES,
  type RowFailure,
  rowFailure,
  type TableFormat,
  type TableRow,
} from "./table-row.ts"

const BLANK = /^\s*$/

/**
 * A JSON text a line. A selector (RFC 9535) selects strings, numbers and booleans, and all of them in the containers that
 * it selects. Everything else stays byte for byte, the spelling of numbers and blank lines too.
 *
 * @throws SelectorError when a selector cannot be used
 */
export function createNdjsonFormat(selectors: readonly string[]): TableFormat {
  const paths = selectors.map(compileJsonPath)
  return {
    names: selectors,
    mustFindAll: true,
    preamble: "",
    async *readRows(chunks, rowsBefore) {
      let number = rowsBefore
      for await (const lines of readLines(chunks, MAX_ROW_BYTES)) {
        yield lines.map((line) => rowOf(line, ++number))
      }
    },
    render: spliceRow,
  }

  function rowOf({ bytes: buffer, sizeBytes }: Line, number: number): TableRow {
    const broken = (problem: RowFailure): TableRow => ({ number, bytes: "", sizeBytes, values: [], problem })
    if (buffer === null) return broken(rowFailure("row-too-large"))
    if (!isUtf8(buffer)) return broken(rowFailure("not-utf-8"))
    const bytes = byteStringOf(buffer)
    if (BLANK.test(bytes)) return { number, bytes, sizeBytes, values: [], problem: null }
    try {
      const { selected } = locateJson(buffer, paths, { maxSelected: MAX_ROW_VALUES })
      const values = selected.map(({ start, end, selectors: nameIndexes }) => {
        return { start, end, literal: bytes.slice(start, end), nameIndexes }
      })
      return { number, bytes, sizeBytes, values, problem: null }
    } catch (error) {
      if (!(error instanceof UnreadableBodyError)) throw error
      return broken(rowFailure(error.reason === "too-large" ? "row-too-large" : "invalid-json"))
    }
  }
}

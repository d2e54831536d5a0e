import { isUtf8 } from "node:buffer"
import { compileJsonPath, locateJson, UnreadableBodyError } from "@sealway/relay-engine"
import { PlainLineReader } from "./plain-line-reader.ts"
import { type Block, readBlocks } from "./read-blocks.ts"
import { RowsBuilder } from "./rows-builder.ts"
import { spliceRows } from "./splice-rows.ts"
import {
  MAX_ROW_BYTES,
  MAX_ROW_VALUES,
  type RowFailure,
  rowFailure,
  type TableFormat,
  type TableRows,
} from "./table-row.ts"

const LINE_FEED = 0x0a
const BLANK = /^\s*$/
const NO_BYTES = Buffer.alloc(0)
const NO_OTHERS: ReadonlyMap<number, Buffer> = new Map()

/**
 * Creates the format of one JSON text per line. A selector (RFC 9535) selects strings, numbers and booleans, and all of
 * those in containers that it selects. Everything else stays byte for byte, including the spelling of numbers and blank
 * lines.
 *
 * @throws SelectorError when a selector is invalid
 */
export function createNdjsonFormat(selectors: readonly string[]): TableFormat {
  const paths = selectors.map(compileJsonPath)
  return {
    names: selectors,
    mustFindAll: true,
    preamble: "",
    async *readRows(chunks, rowsBefore, limits) {
      const reader = new LineReader(paths, new RowsBuilder(limits, rowsBefore, "json"))
      yield* readBlocks(chunks, (block) => reader.read(block))
    },
    render: (rows, from, to, values) => spliceRows(rows, from, to, values, NO_OTHERS),
  }
}

class LineReader {
  readonly #paths: readonly ReturnType<typeof compileJsonPath>[]
  readonly #builder: RowsBuilder
  readonly #plain: PlainLineReader | null
  /** How much was read of a line that is too large to keep. */
  #skippedBytes = 0

  constructor(paths: readonly ReturnType<typeof compileJsonPath>[], builder: RowsBuilder) {
    this.#paths = paths
    this.#builder = builder
    this.#plain = PlainLineReader.create(paths)
  }

  /** @returns what is left of the block */
  *read({ bytes, isLast }: Block): Generator<TableRows, Buffer<ArrayBuffer>> {
    const builder = this.#builder
    let rest = bytes
    if (this.#skippedBytes > 0) {
      const end = endOfLine(rest, 0)
      if (end === -1 && !isLast) return this.#skip(rest)
      yield this.#takeSkipped(end === -1 ? rest.length : end)
      rest = rest.subarray(end === -1 ? rest.length : end)
    }
    const isText = isUtf8(isLast ? rest : rest.subarray(0, rest.lastIndexOf(LINE_FEED) + 1))
    while (builder.size < rest.length) {
      const start = builder.size
      const lineBreak = endOfLine(rest, start)
      const isUnfinished = lineBreak === -1 && !isLast
      const end = lineBreak === -1 ? rest.length : lineBreak
      if (end - start > MAX_ROW_BYTES) {
        const before = builder.takeRest(rest)
        if (before !== null) yield before
        if (isUnfinished) return this.#skip(rest.subarray(start))
        yield this.#takeSkipped(end - start)
        rest = rest.subarray(end)
        continue
      }
      if (isUnfinished) break
      this.#addLine(rest, start, end, isText)
      const due = builder.takeDue(rest)
      if (due === null) continue
      yield due
      rest = rest.subarray(due.bytes.length)
    }
    const left = isLast ? builder.takeRest(rest) : null
    if (left !== null) yield left
    return rest
  }

  #skip(bytes: Buffer): Buffer<ArrayBuffer> {
    this.#skippedBytes += bytes.length
    return NO_BYTES
  }

  #takeSkipped(moreBytes: number): TableRows {
    const sizeBytes = this.#skippedBytes + moreBytes
    this.#skippedBytes = 0
    return this.#builder.takeSkipped(sizeBytes, rowFailure("row-too-large"))
  }

  #addLine(bytes: Buffer, start: number, end: number, isText: boolean): void {
    const plain = this.#plain
    if (plain !== null && isText && plain.read(bytes, start, end)) {
      for (let index = 0; index < plain.starts.length; index++) {
        const [from = 0, to = 0, names = []] = [
          plain.starts[index],
          plain.ends[index],
          plain.selectors[index],
        ]
        this.#builder.addValue(from, to, names)
      }
      this.#builder.addRow(end)
      return
    }
    const problem = this.#addAnyLine(bytes.subarray(start, end), start)
    if (problem === null) this.#builder.addRow(end)
    else this.#builder.addBrokenRow(end, problem)
  }

  /** Adds the values of any line. @returns why it has none */
  #addAnyLine(line: Buffer, start: number): RowFailure | null {
    if (!isUtf8(line)) return rowFailure("not-utf-8")
    if (BLANK.test(line.toString("latin1"))) return null
    try {
      const { selected } = locateJson(line, this.#paths, { maxSelected: MAX_ROW_VALUES })
      for (const value of selected) {
        this.#builder.addValue(start + value.start, start + value.end, value.selectors)
      }
      return null
    } catch (error) {
      if (!(error instanceof UnreadableBodyError)) throw error
      return rowFailure(error.reason === "too-large" ? "row-too-large" : "invalid-json")
    }
  }
}

/** Returns the position after the next line feed; -1 when there is none. */
function endOfLine(bytes: Buffer, from: number): number {
  return bytes.indexOf(LINE_FEED, from) + 1 || -1
}

import type { Log } from "../stage/logger.ts"
import type { Table } from "../tables/table.ts"
import { type AccessBlock, accessBlocksOf, createAccessBlock } from "./access-block-table.ts"
import type { AccessLog } from "./access-log.ts"
import type { AccessRecord } from "./access-record.ts"

export interface AccessRecorderOptions {
  readonly table: Pick<Table, "create">
  readonly log: Pick<Log, "warn" | "error">
  /** The longest that a record waits before it is written. Default: 1,000. */
  readonly writeEveryMs?: number
  /** Records that are kept in memory while they cannot be written; those beyond are lost. Default: 50,000. */
  readonly maxKept?: number
}

const WRITE_EVERY_MS = 1_000
/** Some 30 MB. */
const MAX_KEPT = 50_000
/** Records that are made into blocks in one go: a few milliseconds. */
const RECORDS_AT_ONCE = 2_000
const WRITES_AT_ONCE = 4

/**
 * Keeps access records in memory for a second at most, and writes them to the table together. While the table cannot be
 * written they stay in memory, up to a number; what finds no room is counted, and the log tells how many were lost. A
 * process that ends without `flush` loses the last second.
 */
export function createAccessRecorder({
  table,
  log,
  writeEveryMs = WRITE_EVERY_MS,
  maxKept = MAX_KEPT,
}: AccessRecorderOptions): AccessLog {
  const pending: AccessRecord[] = []
  let unwritten: AccessBlock[] = []
  /** Those that are being written too. */
  let kept = 0
  let lost = 0
  let writing: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null

  async function write(blocks: AccessBlock[]): Promise<void> {
    const writers = Array.from({ length: WRITES_AT_ONCE }, async () => {
      for (let block = blocks.shift(); block !== undefined; block = blocks.shift()) {
        try {
          await createAccessBlock(table, block)
          kept -= block.count
        } catch (error) {
          unwritten.push(block)
          log.warn("access records could not be written yet", { error })
        }
      }
    })
    await Promise.all(writers)
  }

  async function writeAll(): Promise<void> {
    const again = unwritten
    unwritten = []
    await write(again)
    // While the table fails, what is new need not be tried too.
    while (pending.length > 0 && unwritten.length === 0) {
      await write([...accessBlocksOf(pending.splice(0, RECORDS_AT_ONCE))])
    }
    if (lost > 0) {
      log.error(`${lost} access records were lost: they could not be written, and too many were waiting`)
    }
    lost = 0
  }

  function start(): Promise<void> {
    if (timer !== null) clearTimeout(timer)
    timer = null
    writing ??= writeAll().finally(() => {
      writing = null
      if (kept > 0 || lost > 0) schedule()
    })
    return writing
  }

  function schedule(): void {
    if (timer !== null || writing !== null) return
    timer = setTimeout(() => void start(), writeEveryMs)
    timer.unref()
  }

  return {
    record(record) {
      if (kept >= maxKept) {
        lost++
      } else {
        pending.push(record)
        kept++
        if (pending.length >= RECORDS_AT_ONCE && unwritten.length === 0) void start()
      }
      schedule()
    },
    async flush() {
      await writing
      await start()
      if (kept > 0) log.error(`${kept} access records are not written`)
    },
  }
}

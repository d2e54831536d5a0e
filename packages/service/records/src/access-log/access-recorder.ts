import type { Log, Table } from "@sealway/ports"
import { createAccessBlock } from "./access-block-table.ts"
import { type AccessBlock, AccessBlocks } from "./access-blocks.ts"
import type { AccessLog } from "./access-log.ts"

export interface AccessRecorderOptions {
  readonly table: Pick<Table, "create">
  readonly log: Pick<Log, "warn" | "error">
  /** See `createAccessBlock`. Default: null. */
  readonly keptDays?: number | null
  /** The longest time a record waits before it is written. Default: 1,000. */
  readonly writeEveryMs?: number
  /** How many records are kept in memory while the table cannot be written. Further ones are lost. Default: 50,000. */
  readonly maxKept?: number
}

const WRITE_EVERY_MS = 1_000
/** About 30 MB. */
const MAX_KEPT = 50_000
/** So many records are written before their time. */
const MANY_RECORDS = 2_000
const WRITES_AT_ONCE = 4

/**
 * Holds access records in memory for at most a second and writes them to the table together. While the table cannot be
 * written they stay in memory, up to a limit; records beyond it are dropped, and the log says how many. A process that
 * ends without `flush` loses the last second.
 */
export function createAccessRecorder({
  table,
  log,
  keptDays = null,
  writeEveryMs = WRITE_EVERY_MS,
  maxKept = MAX_KEPT,
}: AccessRecorderOptions): AccessLog {
  const pending = new AccessBlocks()
  let unwritten: AccessBlock[] = []
  /** Includes the records that are being written. */
  let kept = 0
  let lost = 0
  let writing: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null

  function hasMany(): boolean {
    return pending.count >= MANY_RECORDS && unwritten.length === 0
  }

  async function write(blocks: AccessBlock[]): Promise<void> {
    const errors: unknown[] = []
    const writers = Array.from({ length: WRITES_AT_ONCE }, async () => {
      for (let block = blocks.shift(); block !== undefined; block = blocks.shift()) {
        try {
          await createAccessBlock(table, block, keptDays)
          kept -= block.count
        } catch (error) {
          unwritten.push(block)
          errors.push(error)
        }
      }
    })
    await Promise.all(writers)
    // One line for all of them: in an outage there are many, each second.
    if (errors.length > 0) log.warn("access records could not be written yet", { error: errors[0] })
  }

  async function writeAll(): Promise<void> {
    const again = unwritten
    unwritten = []
    await write(again)
    // While the table fails, there is no point in trying newer records too.
    if (unwritten.length === 0) await write(pending.take())
    if (lost > 0) {
      log.error(`${lost} access records were lost: writing failed, and too many were queued`)
    }
    lost = 0
  }

  function start(): Promise<void> {
    if (timer !== null) clearTimeout(timer)
    timer = null
    writing ??= writeAll().finally(() => {
      writing = null
      if (hasMany()) void start()
      else if (kept > 0 || lost > 0) schedule()
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
        pending.add(record)
        kept++
        if (hasMany()) void start()
      }
      schedule()
    },
    async flush() {
      await writing
      await start()
      if (kept > 0) log.error(`${kept} access records were not written`)
    },
  }
}

import { describeFailure } from "../describe-failure.ts"
import type { Report } from "../seldom.ts"
import { ItemStore } from "../store/item-store.ts"
import type { WritableDatabase } from "../store/open-database.ts"
import { removeExpired } from "../store/remove-expired.ts"
import { DamagedRowError, isDiskFailure } from "../store/store-errors.ts"
import { writeGroup } from "../store/write-group.ts"
import { runTableWrite } from "../table/table-write.ts"
import { InvalidRecordError } from "../values/invalid-record.ts"
import { FAILED, type WriteReply } from "./writer.ts"

export interface WriteEngine {
  /** Runs writes, each a `TableWrite` as JSON, as one transaction. What is answered as written is durable. */
  write(writes: readonly string[]): readonly WriteReply[]
  /** Removes some expired items. Call it every `SWEEP_INTERVAL_MS`. @returns whether there may be more */
  sweep(): boolean
  /** See `WritableDatabase`. @throws SQLite's errors */
  emptyLog(): boolean
  close(): void
}

export const SWEEP_INTERVAL_MS = 60_000
/** One transaction's worth, which others wait for. */
const SWEPT_AT_ONCE = 100

/**
 * Runs writes on the only writing connection.
 *
 * @param open opens that connection, and again after the disk failed: what it had in memory then may not be on disk
 * @param wallClock epoch milliseconds
 */
export function createWriteEngine(
  open: () => WritableDatabase,
  wallClock: () => number,
  report: Report,
): WriteEngine {
  let database = open()
  let store = new ItemStore(database.connection)
  let mustReopen = false
  const nowSeconds = () => Math.floor(wallClock() / 1000)

  const failed = (error: unknown): WriteReply => {
    mustReopen ||= isDiskFailure(error)
    report(describeFailure(error), error)
    return FAILED
  }
  const run = (write: string): WriteReply => {
    try {
      return { kind: "written", written: runTableWrite(JSON.parse(write), store) }
    } catch (error) {
      // Nothing was written, and the others in the group are not affected.
      if (error instanceof InvalidRecordError) return { kind: "invalid", message: error.message }
      if (error instanceof DamagedRowError) return failed(error)
      throw error
    }
  }
  const committed = (commit: number, bytes: number) => {
    try {
      database.noteCommit(commit, bytes)
    } catch (error) {
      // The commit is durable.
      failed(error)
    }
  }
  const reopen = () => {
    database.close()
    database = open()
    store = new ItemStore(database.connection)
    mustReopen = false
  }

  return {
    write(writes) {
      try {
        if (mustReopen) reopen()
        return writeGroup(store, writes, { run, committed, failed })
      } catch (error) {
        return writes.map(() => failed(error))
      }
    },
    sweep() {
      try {
        return removeExpired(store, nowSeconds(), SWEPT_AT_ONCE, failed)
      } catch (error) {
        failed(error)
        return false
      }
    },
    emptyLog: () => database.emptyLog(),
    close: () => database.close(),
  }
}

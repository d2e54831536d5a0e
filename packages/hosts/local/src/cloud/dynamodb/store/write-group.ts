import type { ItemStore } from "./item-store.ts"
import { inTransaction } from "./transaction.ts"

export interface GroupOptions<Write, Result> {
  readonly run: (write: Write) => Result
  /** Receives the number of a durable commit that changed something, and about how many bytes. Does not throw. */
  readonly committed: (commit: number, bytes: number) => void
  /** Returns the result of a failed write, which had no effect. */
  readonly failed: (error: unknown) => Result
}

/**
 * Runs several writes in one transaction, so that they share one sync of the disk. All of them are durable once this
 * returns. If they cannot be written together, each is tried alone, so that none fails because of another.
 */
export function writeGroup<Write, Result>(
  store: ItemStore,
  writes: readonly Write[],
  { run, committed, failed }: GroupOptions<Write, Result>,
): readonly Result[] {
  try {
    const before = store.writtenBytes
    const { results, commit } = inTransaction(store.database, () => {
      const results = writes.map(run)
      return { results, commit: store.writtenBytes > before ? store.countCommit() : null }
    })
    if (commit !== null) committed(commit, store.writtenBytes - before)
    return results
  } catch (error) {
    if (writes.length === 1) return [failed(error)]
    return writes.flatMap((write) => writeGroup(store, [write], { run, committed, failed }))
  }
}

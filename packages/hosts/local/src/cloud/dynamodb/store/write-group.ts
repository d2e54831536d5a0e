import type { ItemStore } from "./item-store.ts"
import { inTransaction } from "./transaction.ts"

/**
 * Runs several writes in one transaction, so that they share one sync of the disk. All of them are durable once this
 * returns. If they cannot be written together, each is tried alone, so that none fails because of another.
 *
 * @param failed returns the result of a failed write, which had no effect
 */
export function writeGroup<Write, Result>(
  store: ItemStore,
  writes: readonly Write[],
  run: (write: Write) => Result,
  failed: (error: unknown) => Result,
): readonly Result[] {
  try {
    return inTransaction(store.database, () => writes.map(run))
  } catch (error) {
    if (writes.length === 1) return [failed(error)]
    return writes.flatMap((write) => writeGroup(store, [write], run, failed))
  }
}

import type { ItemStore } from "./item-store.ts"
import { inTransaction } from "./transaction.ts"

/**
 * Does several writes in one transaction, so that they share one sync of the disk. All of them are durable when this
 * returns. When they cannot be written together, each is tried by itself, so that none fails for another's sake.
 *
 * @param failed gives the result of a write that failed, of which nothing took effect
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

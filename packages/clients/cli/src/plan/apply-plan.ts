/** How far a plan was carried out. */
export interface Progress<Change> {
  readonly done: readonly Change[]
  /** The change that failed, and why; null when all are done. */
  readonly failed: { readonly change: Change; readonly error: unknown } | null
  readonly left: readonly Change[]
}

/**
 * Makes changes one after another and stops at the first failure. Each call has its own `Idempotency-Key`, so a change
 * whose answer was lost is not made twice.
 */
export async function applyChanges<Change>(
  changes: readonly Change[],
  make: (change: Change) => PromiseLike<unknown>,
  onDone: (change: Change) => void,
): Promise<Progress<Change>> {
  for (const [index, change] of changes.entries()) {
    try {
      await make(change)
      onDone(change)
    } catch (error) {
      return { done: changes.slice(0, index), failed: { change, error }, left: changes.slice(index + 1) }
    }
  }
  return { done: changes, failed: null, left: [] }
}

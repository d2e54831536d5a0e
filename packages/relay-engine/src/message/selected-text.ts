import { UnreadableBodyError } from "../body/located-body.ts"
import type { Operation, OperationGroup } from "../operations/compile-operations.ts"

/** The operations whose selectors select a value. @param selectors indices into the group */
export function operationsOf(
  { operations }: OperationGroup<unknown>,
  selectors: readonly number[],
): readonly Operation[] {
  const found: Operation[] = []
  for (const index of selectors) {
    const operation = operations[index]
    if (operation !== undefined) found.push(operation)
  }
  return found
}

/**
 * What a value says; null where it is no text, and none of the operations encrypts: it is no token, so that it is left
 * alone.
 *
 * @throws UnreadableBodyError when it is no text, and would be encrypted
 */
export function textUnlessLeftAlone(operations: readonly Operation[], read: () => Buffer): Buffer | null {
  try {
    return read()
  } catch (error) {
    return leaveAloneUnlessEncrypted(operations, error)
  }
}

/** Throws what kept a value from being read, unless that is no text and none of the operations encrypts. */
export function leaveAloneUnlessEncrypted(operations: readonly Operation[], error: unknown): null {
  if (!(error instanceof UnreadableBodyError)) throw error
  if (operations.some(({ action }) => action === "encrypt")) throw error
  return null
}

import { UnreadableBodyError } from "../body/located-body.ts"
import type { Operation, OperationGroup } from "../operations/compile-operations.ts"

/** Returns the operations whose selectors select a value. @param selectors indices into the group */
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
 * Returns the text of a value; null where it is not a text and none of the operations encrypts: it is no token then,
 * and stays unchanged.
 *
 * @throws UnreadableBodyError when it is not a text, and would be encrypted
 */
export function textUnlessLeftAlone(operations: readonly Operation[], read: () => Buffer): Buffer | null {
  try {
    return read()
  } catch (error) {
    return leaveAloneUnlessEncrypted(operations, error)
  }
}

/**
 * Throws the error that kept a value from being read, unless the value is not a text and none of the operations
 * encrypts.
 */
export function leaveAloneUnlessEncrypted(operations: readonly Operation[], error: unknown): null {
  if (!(error instanceof UnreadableBodyError)) throw error
  if (operations.some(({ action }) => action === "encrypt")) throw error
  return null
}

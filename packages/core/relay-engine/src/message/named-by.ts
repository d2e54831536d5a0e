import type { Operation, OperationGroup } from "../operations/compile-operations.ts"

/** Returns the operations whose selector is a field's name. */
export function namedBy(
  { selectors, operations }: OperationGroup<string>,
  name: string,
): readonly Operation[] {
  return operations.filter((_, index) => selectors[index] === name)
}

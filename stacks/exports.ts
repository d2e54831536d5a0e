import type { Stack } from "aws-cdk-lib"

/**
 * Exports values for other stacks whether or not one imports them at the moment. An export that follows from its use
 * would disappear with its last use, and CloudFormation refuses that: the exporting stack is deployed before the one
 * that still imports.
 */
export function exportForGood(stack: Stack, ...values: readonly string[]): void {
  for (const value of values) stack.exportValue(value)
}

import { DamagedRowError, isDamage, isDiskFull } from "./store/store-errors.ts"

/** Describes a failed call for a log line: the table's name, never its content. */
export function describeFailure(error: unknown): string {
  if (error instanceof DamagedRowError) return `The tables are damaged: ${error.message}`
  if (isDamage(error)) return "The tables are damaged: SQLite reports a malformed file."
  if (isDiskFull(error)) return "The disk is full. Writes to the tables are refused until there is space."
  return "A table operation failed."
}

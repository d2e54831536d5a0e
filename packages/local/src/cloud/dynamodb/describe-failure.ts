import { DamagedRowError, isDamage, isDiskFull } from "./store/store-errors.ts"

/** What a log line says of a call that failed. Names tables, never what they hold. */
export function describeFailure(error: unknown): string {
  if (error instanceof DamagedRowError) return `The tables are damaged: ${error.message}`
  if (isDamage(error)) return "The tables are damaged: SQLite finds their file malformed."
  if (isDiskFull(error)) return "The disk is full: writes to the tables are refused until there is room."
  return "A call to the tables failed."
}

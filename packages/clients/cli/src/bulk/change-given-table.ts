import type { Session } from "../session/session.ts"
import type { ExitCode } from "../terminal/exit-codes.ts"
import type { TableCommand } from "./table-command.ts"
import { type GivenTableOptions, readTableOptions } from "./table-options.ts"

/** The options of a command that accepts a table or one value. */
export interface GivenOptions extends GivenTableOptions {
  readonly output?: string | undefined
}

/**
 * Changes the table that a command was given. The code for it is only loaded then.
 *
 * @param file undefined, or `-`: standard input
 * @returns the exit status; null when no table was given
 * @throws UsageFailure when only other table options are given
 */
export async function changeGivenTable(
  session: Session,
  command: TableCommand,
  options: GivenOptions,
  file: string | undefined,
): Promise<ExitCode | null> {
  const table = readTableOptions(options)
  if (table === null) return null
  const { changeTable } = await import("./change-table.ts")
  return changeTable(session, command, table, { input: file, output: options.output })
}

import type { Command } from "commander"
import * as z from "zod"
import { confirm, isInteractive } from "./ask.ts"
import { CommandFailure } from "./failures.ts"
import type { CliHost } from "./host.ts"

/** The option of the commands that ask before they take something away. */
export const yesOptionSchema = z.object({ yes: z.boolean().default(false) })

export function addYesOption(command: Command): Command {
  return command.option("-y, --yes", "do not ask")
}

/**
 * Asks on a terminal whether something is to be taken away. Scripts, which nobody can answer for, are not asked.
 *
 * @throws CommandFailure when the answer is no
 */
export async function askBefore(
  host: CliHost,
  { yes }: z.infer<typeof yesOptionSchema>,
  question: string,
): Promise<void> {
  if (yes || !isInteractive(host)) return
  if (!(await confirm(host, question))) throw new CommandFailure("declined", "Nothing was changed.")
}

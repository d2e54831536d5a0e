import type { Command } from "commander"
import * as z from "zod"
import { confirm, isInteractive } from "./ask.ts"
import { CommandFailure } from "./failures.ts"
import type { CliHost } from "./host.ts"

/** The option of the commands that ask before they delete something. */
export const yesOptionSchema = z.object({ yes: z.boolean().default(false) })

export function addYesOption(command: Command): Command {
  return command.option("-y, --yes", "do not ask for confirmation")
}

/**
 * Asks for confirmation on a terminal before something is deleted or revoked. Scripts are not asked.
 *
 * @throws CommandFailure when the answer is no
 */
export async function askBefore(
  host: CliHost,
  { yes }: z.infer<typeof yesOptionSchema>,
  question: string,
): Promise<void> {
  if (yes || !isInteractive(host)) return
  if (!(await confirm(host, question))) throw new CommandFailure("declined", "Nothing changed.")
}

import type { Command } from "commander"

/** How long a call may take, in seconds, unless `--timeout` says otherwise. */
export const DEFAULT_TIMEOUT_S = 60

/** Adds the options that every command has, on the program itself. */
export function addGlobalOptions(program: Command): void {
  program
    .option("--url <address>", "address of the service (SEALWAY_URL)")
    .option("--app <id>", "app to work with (SEALWAY_APP)")
    .option("--profile <name>", "profile to use (SEALWAY_PROFILE)")
    .option("--json", "print answers as JSON, errors too")
    .option("-q, --quiet", "print only ids (or, where a secret is made, the secret)")
    .option("--timeout <seconds>", `how long a call may take (default: ${DEFAULT_TIMEOUT_S})`)
}

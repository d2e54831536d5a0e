import type { Command } from "commander"

/** How long a call may take, in seconds, unless `--timeout` says otherwise. */
export const DEFAULT_TIMEOUT_S = 60

/** Adds the options that every command has, on the program itself. */
export function addGlobalOptions(program: Command): void {
  program
    .option("--url <address>", "URL of the service (SEALWAY_URL)")
    .option("--app <id>", "app to work with (SEALWAY_APP)")
    .option("--profile <name>", "profile to use (SEALWAY_PROFILE)")
    .option("--json", "print results and errors as JSON")
    .option("-q, --quiet", "print only ids (or only the secret, if one is created)")
    .option("--timeout <seconds>", `time limit of a request (default: ${DEFAULT_TIMEOUT_S})`)
}

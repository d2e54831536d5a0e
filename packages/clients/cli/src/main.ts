import { homedir } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { runCli } from "./run-cli.ts"
import { EXIT } from "./terminal/exit-codes.ts"
import { sendRequest } from "./terminal/send-request.ts"

/** Runs the command line of a process and sets its exit status. */
export async function main(host: NodeJS.Process): Promise<void> {
  const { env, stdin, stdout, stderr, platform } = host
  const interruption = new AbortController()
  // Once: a second Ctrl-C ends the process immediately.
  host.once("SIGINT", () => interruption.abort(EXIT.interrupted))
  host.once("SIGTERM", () => interruption.abort(EXIT.terminated))
  // The reader has read enough, as in `sealway audit list | head`, so there is nobody left to tell.
  stdout.on("error", (error) => host.exit("code" in error && error.code === "EPIPE" ? EXIT.ok : EXIT.failed))
  stderr.on("error", () => host.exit(EXIT.failed))

  host.exitCode = await runCli(host.argv.slice(2), {
    env,
    stdin,
    stdout,
    stderr,
    fetch: sendRequest,
    folder: host.cwd(),
    homeFolder: homedir(),
    platform,
    userId: host.getuid?.() ?? null,
    wallClock: Date.now,
    sleep: (durationMs, signal) => sleep(durationMs, undefined, { signal }),
    signal: interruption.signal,
  })
  // A terminal or pipe as standard input would keep the process waiting for more.
  stdin.destroy()
}

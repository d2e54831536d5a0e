import { runCli } from "@sealway/cli"
import { createTestHost, sendRequest, type TestHostOptions } from "@sealway/cli/testing"
import type { TestService } from "../support/service.ts"

export interface CliResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stdoutBytes: Buffer
  readonly stderr: string
  /** Parses standard output as JSON. Throws when it is not JSON. */
  json(): unknown
  /** The lines of standard output, each split at its tabs. */
  rows(): string[][]
}

export type CliOptions = Partial<TestHostOptions>

/** Runs a command against a service, with the keys of its sandbox app and its team. */
export async function runAgainst(
  service: TestService,
  args: readonly string[],
  { env = {}, ...options }: CliOptions = {},
): Promise<CliResult> {
  return run(args, {
    env: {
      SEALWAY_URL: service.url,
      SEALWAY_APP: service.sandbox.app.id,
      SEALWAY_API_KEY: service.sandbox.auth.key,
      SEALWAY_TEAM_KEY: service.team.auth.key,
      ...env,
    },
    ...options,
  })
}

/** Runs a command in a folder that does not exist, unless one is given. */
export async function run(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const host = createTestHost({ folder: "/nonexistent", fetch: sendRequest, wallClock: Date.now, ...options })
  const exitCode = await runCli(args, host)
  return {
    exitCode,
    // Only where a test asks: it may be a file.
    get stdout() {
      return host.stdoutText()
    },
    stdoutBytes: host.stdoutBytes(),
    stderr: host.stderrText(),
    json: () => JSON.parse(host.stdoutText()),
    rows: () =>
      host
        .stdoutText()
        .split("\n")
        .slice(0, -1)
        .map((line) => line.split("\t")),
  }
}

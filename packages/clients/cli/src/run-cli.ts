import { Command, CommanderError } from "commander"
import manifest from "../package.json" with { type: "json" }
import { addCommands } from "./commands/index.ts"
import type { CommandLine } from "./session/define-action.ts"
import { addGlobalOptions } from "./session/global-options.ts"
import { EXIT, EXIT_CODES_HELP, type ExitCode } from "./terminal/exit-codes.ts"
import { UsageFailure } from "./terminal/failures.ts"
import type { CliHost } from "./terminal/host.ts"
import { reportFailure } from "./terminal/report-failure.ts"

const DEFAULT_WIDTH = 80

/**
 * Runs one command.
 *
 * @param commandLine the arguments after `sealway`
 * @returns the exit status, see `EXIT`
 */
export async function runCli(commandLine: readonly string[], host: CliHost): Promise<ExitCode> {
  // `sealway help keys create` means `sealway keys create --help`.
  const args = commandLine[0] === "help" ? [...commandLine.slice(1), "--help"] : commandLine
  let exitCode: ExitCode = EXIT.ok
  let usageStatus: ExitCode = EXIT.usage
  const program = createProgram(host)
  const line: CommandLine = {
    host,
    finish(code) {
      exitCode = code
    },
    usageStatus(code) {
      usageStatus = code
    },
  }
  try {
    await addCommands(program, line, args)
    const isHelp = commandLine[0] === "help"
    await program.parseAsync(isHelp ? helpArguments(program, args) : [...args], { from: "user" })
    return exitCode
  } catch (error) {
    // Commander has already printed its message, or the requested help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : usageStatus
    if (host.signal.aborted)
      return typeof host.signal.reason === "number" ? host.signal.reason : EXIT.interrupted
    const failureStatus = reportFailure(host, error, args.includes("--json"))
    return error instanceof UsageFailure ? usageStatus : failureStatus
  }
}

/**
 * Returns arguments that show the help of the command at the start of `args`; or, if there is none with the name, fail
 * as that command would.
 */
function helpArguments(program: Command, args: readonly string[]): string[] {
  let command = program
  for (const [index, name] of args.slice(0, -1).entries()) {
    if (name.startsWith("-")) break
    const below = command.commands.find((each) => each.name() === name)
    if (below === undefined) return command.commands.length === 0 ? [...args] : args.slice(0, index + 1)
    command = below
  }
  return [...args]
}

function createProgram({ stdout, stderr }: CliHost): Command {
  const program = new Command("sealway")
    .description("Encrypts and decrypts values with Sealway, and manages who may decrypt them.")
    .version(manifest.version, "--version", "print the version")
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => stdout.columns ?? DEFAULT_WIDTH,
      getErrHelpWidth: () => stderr.columns ?? DEFAULT_WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .showHelpAfterError("Use --help to list the commands.")
    .helpCommand(false)
  addGlobalOptions(program)
  program.addHelpText(
    "after",
    `
The service and its keys come from SEALWAY_URL, SEALWAY_APP, SEALWAY_API_KEY and SEALWAY_TEAM_KEY, from
\`sealway login\`, or from the .sealway/env that \`npm start\` writes, in the current folder or one above it.

${EXIT_CODES_HELP}`,
  )
  return program
}

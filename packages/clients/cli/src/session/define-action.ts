import type { Command } from "commander"
import * as z from "zod"
import type { ExitCode } from "../terminal/exit-codes.ts"
import { UsageFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"
import { DEFAULT_TIMEOUT_S } from "./global-options.ts"
import { createSession, type Session } from "./session.ts"

/** The context of commands: where they run, and where their exit status goes. */
export interface CommandLine {
  readonly host: CliHost
  finish(exitCode: ExitCode): void
  /** Sets a different exit status for an invalid command line. */
  usageStatus(exitCode: ExitCode): void
}

const globalSchema = z.object({
  url: z.string().optional(),
  app: z.string().optional(),
  profile: z.string().optional(),
  json: z.boolean().default(false),
  quiet: z.boolean().default(false),
  timeout: z
    .string()
    .regex(/^[1-9][0-9]{0,3}$/, "--timeout must be a whole number of seconds from 1 to 9999")
    .default(String(DEFAULT_TIMEOUT_S))
    .transform((seconds) => Number(seconds) * 1000),
})

/**
 * Gives a command its action: schemas parse options and arguments, and the action resolves to the exit status (nothing:
 * 0).
 */
export function defineAction<Options, Arguments>(
  line: CommandLine,
  command: Command,
  schemas: { readonly options: z.ZodType<Options>; readonly arguments: z.ZodType<Arguments> },
  run: (session: Session, options: Options, args: Arguments) => Promise<ExitCode | undefined>,
): void {
  command.action(async () => {
    const { timeout: timeoutMs, ...globals } = parse(globalSchema, command.optsWithGlobals())
    const options = parse(schemas.options, command.opts())
    const args = parse(schemas.arguments, command.args)
    const session = createSession(line.host, { ...globals, timeoutMs })
    const exitCode = await run(session, options, args)
    if (exitCode !== undefined) line.finish(exitCode)
  })
}

/** For a command without arguments or options. */
export const NO_ARGUMENTS = z.tuple([])
export const NO_OPTIONS = z.object({})
/** The only argument of most commands. */
export const ONE_ARGUMENT = z.tuple([z.string()])

function parse<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new UsageFailure(`${result.error.issues[0]?.message ?? "The command line is invalid"}.`)
}

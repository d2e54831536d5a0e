import { Console } from "node:console"
import type { Configuration } from "./configuration.ts"

/** The fields that a log line may have about a request. Of what a caller sends, only the trace id is among them. */
export interface LogFields {
  readonly requestId?: string
  /** See `TraceContext`: hexadecimal digits. */
  readonly traceId?: string
  readonly endpoint?: string
  readonly code?: string
  readonly status?: number
  readonly error?: unknown
}

/** Fields that are logged unchanged; `error` is described, see `describeError`. */
const ALLOWED_FIELDS = ["requestId", "traceId", "endpoint", "code", "status"] as const

export interface Log {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

type Level = Configuration["logLevel"]

/** From the least to the most severe. */
const LEVELS: readonly Level[] = ["DEBUG", "INFO", "WARN", "ERROR"]

/**
 * Creates a logger that writes one JSON line per entry, with the fields of `LogFields` only: information to standard
 * output, warnings and errors to standard error. Powertools' logger would take a twentieth of a cold start.
 *
 * @param wallClock epoch milliseconds
 */
export function createLog({ logLevel }: Pick<Configuration, "logLevel">, wallClock: () => number): Log {
  // Unlike the streams themselves, it does not end the process when nobody reads them any more.
  const output = new Console(process.stdout, process.stderr)
  const writer =
    (level: Level, method: "log" | "error") =>
    (message: string, fields: LogFields = {}) => {
      if (LEVELS.indexOf(level) < LEVELS.indexOf(logLevel)) return
      output[method](JSON.stringify(lineOf(level, message, wallClock(), fields)))
    }
  return { info: writer("INFO", "log"), warn: writer("WARN", "error"), error: writer("ERROR", "error") }
}

function lineOf(level: Level, message: string, timeMs: number, { error, ...given }: LogFields): object {
  const fields = ALLOWED_FIELDS.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]))
  return {
    level,
    message,
    timestamp: new Date(timeMs).toISOString(),
    service: "sealway",
    ...Object.fromEntries(fields),
    ...(error !== undefined && { error: describeError(error) }),
  }
}

/**
 * Describes an error by its class and where it was thrown, without its message: messages of engines and libraries quote
 * their input (`JSON.parse` quotes the document), and that is the caller's data.
 */
function describeError(error: unknown): { name: string; frames: string[] } {
  if (!(error instanceof Error)) return { name: typeof error, frames: [] }
  const { name, message, stack = "" } = error
  // Removed as a whole, because a line of a message can look like a frame.
  const messageAt = stack.indexOf(message)
  const trace = messageAt === -1 ? "" : stack.slice(messageAt + message.length)
  const frames = trace.split("\n").filter((line) => /^\s+at /.test(line))
  return { name, frames: frames.slice(0, 20).map((line) => line.trim()) }
}

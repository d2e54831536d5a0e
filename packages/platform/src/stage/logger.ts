import { LogFormatter, Logger, LogItem } from "@aws-lambda-powertools/logger"
import type { LogAttributes, UnformattedAttributes } from "@aws-lambda-powertools/logger/types"
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

/** Creates a logger that writes one JSON line per entry, with the fields of `LogFields` only. */
export function createLog(configuration: Pick<Configuration, "logLevel" | "region">): Log {
  const logger = new Logger({
    serviceName: "sealway",
    logLevel: configuration.logLevel,
    logFormatter: new AllowListFormatter(),
  })
  return {
    info: (message, fields = {}) => logger.info(message, { ...fields }),
    warn: (message, fields = {}) => logger.warn(message, { ...fields }),
    error: (message, fields = {}) => logger.error(message, { ...fields }),
  }
}

class AllowListFormatter extends LogFormatter {
  override formatAttributes(attributes: UnformattedAttributes, given: LogAttributes): LogItem {
    const line: LogAttributes = {
      level: attributes.logLevel,
      message: attributes.message,
      timestamp: this.formatTimestamp(attributes.timestamp),
      service: attributes.serviceName,
    }
    for (const field of ALLOWED_FIELDS) {
      if (given[field] !== undefined) line[field] = given[field]
    }
    if (given.error !== undefined) line.error = describeError(given.error)
    return new LogItem({ attributes: line })
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

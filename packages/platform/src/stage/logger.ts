import { LogFormatter, Logger, LogItem } from "@aws-lambda-powertools/logger"
import type { LogAttributes, UnformattedAttributes } from "@aws-lambda-powertools/logger/types"
import type { Configuration } from "./configuration.ts"

/** All that a log line may tell about a request. Nothing that a caller sends is among it. */
export interface LogFields {
  readonly requestId?: string
  readonly endpoint?: string
  readonly code?: string
  readonly status?: number
  readonly error?: unknown
}

/** Fields that pass as they are; `error` is described, see `describeError`. */
const ALLOWED_FIELDS = ["requestId", "endpoint", "code", "status"] as const

export interface Log {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

/** A logger that writes one JSON line an entry and lets nothing out but the fields of `LogFields`. */
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
 * An error's class and where it was thrown, without its message: messages of engines and libraries quote what
 * they choke on (`JSON.parse` quotes the document), and that is the caller's data.
 */
function describeError(error: unknown): { name: string; frames: string[] } {
  if (!(error instanceof Error)) return { name: typeof error, frames: [] }
  const { name, message, stack = "" } = error
  // Cut off as a whole: a line of a message can look like a frame.
  const messageAt = stack.indexOf(message)
  const trace = messageAt === -1 ? "" : stack.slice(messageAt + message.length)
  const frames = trace.split("\n").filter((line) => /^\s+at /.test(line))
  return { name, frames: frames.slice(0, 20).map((line) => line.trim()) }
}

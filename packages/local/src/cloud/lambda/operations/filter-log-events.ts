import { z } from "zod"
import { LambdaError } from "../lambda-error.ts"
import type { LogEvent } from "../log-store.ts"
import type { LambdaOperation } from "./operation.ts"

const requestSchema = z.strictObject({
  logGroupName: z.string().min(1).max(512),
  startTime: z.int().min(0).optional(),
  endTime: z.int().min(0).optional(),
  limit: z.int().min(1).max(10_000).default(10_000),
  nextToken: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
  interleaved: z.boolean().optional(),
})

/** FilterLogEvents of CloudWatch Logs, without patterns. Oldest first; `nextToken` while there is more. */
export const filterLogEvents: LambdaOperation = async ({ body }, { logs }) => {
  const parsed = requestSchema.safeParse(parseJson(body))
  if (!parsed.success) {
    throw new LambdaError(
      "InvalidParameterException",
      "A parameter is invalid, or not offered by the embedded CloudWatch Logs.",
    )
  }
  const {
    logGroupName,
    startTime = 0,
    endTime = Number.POSITIVE_INFINITY,
    limit,
    nextToken = "0",
  } = parsed.data
  const events = logs.events(logGroupName)
  if (events === null) {
    throw new LambdaError("ResourceNotFoundException", "The specified log group does not exist.")
  }
  const found = events.filter(
    ({ id, timestamp }) => id >= Number(nextToken) && timestamp >= startTime && timestamp < endTime,
  )
  const next = found[limit]
  return {
    status: 200,
    body: {
      events: found.slice(0, limit).map(describe),
      searchedLogStreams: [],
      ...(next !== undefined && { nextToken: String(next.id) }),
    },
  }
}

function describe({ id, timestamp, stream, message }: LogEvent): object {
  const eventId = String(id).padStart(56, "0")
  return { eventId, logStreamName: stream, timestamp, ingestionTime: timestamp, message }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new LambdaError("InvalidParameterException", "The body is not JSON.")
  }
}

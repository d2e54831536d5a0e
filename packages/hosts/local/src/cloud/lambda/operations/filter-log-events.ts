import { z } from "zod"
import type { LogEvent } from "../log-store.ts"
import { LOG_GROUP_NAME, parseLogsRequest, unknownLogGroup } from "./logs-request.ts"
import type { LambdaOperation } from "./operation.ts"

const requestSchema = z.strictObject({
  logGroupName: LOG_GROUP_NAME,
  startTime: z.int().min(0).optional(),
  endTime: z.int().min(0).optional(),
  limit: z.int().min(1).max(10_000).default(10_000),
  nextToken: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
  interleaved: z.boolean().optional(),
})

/** FilterLogEvents of CloudWatch Logs, without patterns. Oldest first, with `nextToken` while there is more. */
export const filterLogEvents: LambdaOperation = async ({ body }, { logs, wallClock }) => {
  const {
    logGroupName,
    startTime = 0,
    endTime = Number.POSITIVE_INFINITY,
    limit,
    nextToken = "0",
  } = parseLogsRequest(requestSchema, body)
  const events = logs.events(logGroupName, wallClock())
  if (events === null) throw unknownLogGroup()
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

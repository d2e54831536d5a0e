import { apiKey, readingEndpoint, timeQuerySchema } from "@sealway/http"
import { DIMENSIONS, INTERVALS } from "@sealway/records"
import * as z from "zod"
import type { ManagementDependencies } from "../dependencies.ts"
import { MAX_GROUPS, statsPage } from "../stats/stats-page.ts"
import { statsRangeOf } from "../stats/stats-range.ts"

const querySchema = z.strictObject({
  interval: z.enum(INTERVALS).default("hour").describe("The length of each interval. Default: hour"),
  from: timeQuerySchema.describe(
    "Epoch milliseconds. Default: an hour before the end for minutes, a day for hours, 30 days for days",
  ),
  to: timeQuerySchema.describe("Epoch milliseconds, not included. Default: the current time"),
  by: z
    .enum(DIMENSIONS)
    .optional()
    .describe(
      `Also returns the ${MAX_GROUPS} largest groups: roles, relays, functions, endpoints or error codes`,
    ),
})

const countSchema = z.int().nonnegative()
const percentileSchema = z.number().nonnegative()

const latencySchema = z
  .object({
    count: countSchema.describe("How many were measured"),
    p50Ms: percentileSchema.describe("Median"),
    p95Ms: percentileSchema,
    p99Ms: percentileSchema,
  })
  .meta({ id: "Latency", description: "Percentiles in milliseconds, at most 9 % from the exact ones" })
  .nullable()

const figuresSchema = z
  .object({
    requests: countSchema.describe("Requests to the API with credentials of the app"),
    encrypted: countSchema.describe("Values encrypted by the API and by relays; a file counts as one"),
    decrypted: countSchema.describe("Values decrypted, as in the access log, without masked ones"),
    masked: countSchema.describe("Values of which a mask was returned"),
    refusals: countSchema.describe("Requests that Sealway refused with a 4xx"),
    errors: countSchema.describe("Requests that Sealway answered with a 5xx of its own"),
    relayRequests: countSchema.describe("Requests through relays"),
    functionRuns: countSchema.describe("Runs of functions that ended"),
    failedRuns: countSchema.describe("Those that failed in the function's code"),
    latency: z.object({
      api: latencySchema.describe("Requests to the API, in the handler"),
      relay: latencySchema.describe("Requests through relays, to the last byte of the answer"),
      destination: latencySchema.describe("Destinations of relays, to the headers of their answer"),
      function: latencySchema.describe("Calls of functions"),
    }),
  })
  .meta({ id: "Figures" })

const pointsSchema = z
  .array(figuresSchema.extend({ at: z.int().describe("Begin of the interval, epoch milliseconds") }))
  .describe("One for each interval of the range, oldest first. Without traffic, all counts are 0")

const statsSchema = z
  .object({
    interval: z.enum(INTERVALS),
    from: z.int().describe("Epoch milliseconds: the begin of the first interval"),
    to: z.int().describe("Epoch milliseconds: the end of the last interval"),
    by: z.enum(DIMENSIONS).nullable(),
    total: figuresSchema.describe("All intervals together"),
    data: pointsSchema,
    groups: z
      .array(
        z.object({
          key: z
            .string()
            .describe(
              'Slug of the role, `""` for values without one; id of the relay; name of the function; id of the endpoint; error code. `*`: all that did not get a group',
            ),
          total: figuresSchema,
          data: pointsSchema,
        }),
      )
      .describe("With `by`: the groups with the highest counts"),
    isComplete: z
      .boolean()
      .describe(
        "False when there are more groups, or more figures than are read at once: then the oldest are missing",
      ),
  })
  .meta({ id: "Stats" })

export const getStats = readingEndpoint({
  id: "get-stats",
  path: "/stats",
  tag: "Figures",
  summary: "Get an app's figures",
  description:
    "Values encrypted and decrypted, refusals, requests, runs and latencies of the app, by minute, hour or day (UTC). Figures appear within 10 seconds. Minutes are kept for 2 days, hours for 40 days and days for 400 days; one answer covers at most 6 hours, 14 days or 366 days. A process that is killed loses its last 10 seconds of figures: to account for each decryption, use the access log.",
  auth: [apiKey("stats:read")],
  request: { query: querySchema },
  schema: statsSchema,
  reply: "The figures",
  grants: ["dynamodb:Query/events"],
  async read({ principal: { app }, query }, { eventsTable, wallClock }: ManagementDependencies) {
    const { interval, by = null } = query
    const nowMs = wallClock()
    const range = statsRangeOf(interval, query, nowMs)
    const page = await statsPage(eventsTable, app, interval, range, by, nowMs)
    return { interval, from: range.fromMs, to: range.toMs, by, ...page }
  },
})

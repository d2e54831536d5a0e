import { apiKey, idParameter, listQuerySchema, listReplySchema, readingEndpoint } from "@sealway/http"
import { isId, NotFoundError } from "@sealway/kernel"
import * as z from "zod"
import { activitySchema, errorCodeSchema, showActivity } from "../activity/activity-schema.ts"
import { findActivity, listActivity, STATUS_CLASSES } from "../activity/read-activity.ts"
import type { RelayDependencies } from "../dependencies.ts"
import { requireRelay } from "../records/require-relay.ts"
import { relayPathSchema } from "./relay-schema.ts"

const querySchema = listQuerySchema("relay_activity").extend({
  statusClass: z.enum(STATUS_CLASSES).optional().describe("Only requests with this response status"),
  errorCode: errorCodeSchema.optional().describe("Only requests that ended with this relay error"),
})

const replySchema = listReplySchema(activitySchema, "RelayActivityList")
  .extend({
    continueAfter: z
      .string()
      .nullable()
      .describe("The `startingAfter` of the next page; null on the last page"),
    dropped: z
      .int()
      .describe(
        "Number of requests in the same period that are not listed: when there are too many, errors and a sample are kept",
      ),
  })
  .meta({ id: "RelayActivityList" })

export const listRelayActivity = readingEndpoint({
  id: "list-relay-activity",
  path: "/relays/{relay_id}/activity",
  tag: "Relays",
  summary: "List requests through a relay",
  description:
    "Newest first, for 7 days: what was selected and changed, the response, and the timing; never values. Requests are listed a few seconds after they end. One page searches at most 1,000 requests. With a filter, a page can therefore be short or empty although more requests follow: continue with `continueAfter`.",
  auth: [apiKey("relayActivity:list")],
  request: { path: relayPathSchema, query: querySchema },
  schema: replySchema,
  reply: "A page of activity",
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/events"],
  async read(
    { principal: { app }, path, query },
    dependencies: Pick<RelayDependencies, "configTable" | "eventsTable">,
  ) {
    const relay = await requireRelay(dependencies, app, path.relay_id)
    const place = { appId: app.id, relayId: relay.id }
    const { limit, startingAfter, ...filter } = query
    const page = await listActivity(dependencies.eventsTable, place, { limit, startingAfter }, filter)
    return { ...page, data: page.data.map(showActivity) }
  },
})

export const getRelayActivity = readingEndpoint({
  id: "get-relay-activity",
  path: "/relays/{relay_id}/activity/{activity_id}",
  tag: "Relays",
  summary: "Get a request through a relay",
  description: "An alert's `activityLink` points here.",
  auth: [apiKey("relayActivity:read")],
  request: {
    path: relayPathSchema.extend({ activity_id: idParameter("relay_activity", "Id of the activity") }),
  },
  schema: activitySchema,
  reply: "The activity",
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/events"],
  async read(
    { principal: { app }, path },
    dependencies: Pick<RelayDependencies, "configTable" | "eventsTable">,
  ) {
    const relay = await requireRelay(dependencies, app, path.relay_id)
    const id = path.activity_id
    const place = { appId: app.id, relayId: relay.id }
    const activity = isId("relay_activity", id)
      ? await findActivity(dependencies.eventsTable, place, id)
      : null
    if (activity === null) throw new NotFoundError("The activity")
    return showActivity(activity)
  },
})

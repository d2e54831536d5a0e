import { apiKey, endpoint, listQuerySchema, listReplySchema } from "@sealway/http"
import * as z from "zod"
import { activitySchema, errorCodeSchema, showActivity } from "../activity/activity-schema.ts"
import { listActivity, STATUS_CLASSES } from "../activity/read-activity.ts"
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

export const listRelayActivity = endpoint({
  id: "list-relay-activity",
  method: "GET",
  path: "/relays/{relay_id}/activity",
  tag: "Relays",
  summary: "List requests through a relay",
  description:
    "Newest first, for 7 days: what was selected and changed, the response, and the timing; never values. Requests are listed a few seconds after they end. One page searches at most 1,000 requests. With a filter, a page can therefore be short or empty although more requests follow: continue with `continueAfter`.",
  auth: [apiKey("relayActivity:list")],
  reveals: "nothing",
  request: { path: relayPathSchema, query: querySchema },
  status: 200,
  reply: { kind: "object", schema: replySchema, description: "A page of activity" },
  errors: ["not-found", "invalid-request"],
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/events"],
  async answer(
    { principal: { app }, path, query },
    dependencies: Pick<RelayDependencies, "configTable" | "eventsTable">,
  ) {
    const relay = await requireRelay(dependencies, app, path.relay_id)
    const place = { appId: app.id, relayId: relay.id }
    const { limit, startingAfter, ...filter } = query
    const page = await listActivity(dependencies.eventsTable, place, { limit, startingAfter }, filter)
    return { body: { ...page, data: page.data.map(showActivity) } }
  },
})

import { apiKey, endpoint, listQuerySchema, listReplySchema } from "@sealway/platform"
import * as z from "zod"
import { activitySchema, errorCodeSchema, showActivity } from "../activity/activity-schema.ts"
import { listActivity, STATUS_CLASSES } from "../activity/read-activity.ts"
import type { RelayDependencies } from "../dependencies.ts"
import { requireRelay } from "../records/require-relay.ts"
import { relayPathSchema } from "./relay-schema.ts"

const querySchema = listQuerySchema("relay_activity").extend({
  statusClass: z.enum(STATUS_CLASSES).optional().describe("Only requests that were answered so"),
  errorCode: errorCodeSchema.optional().describe("Only requests that the relay answered with this error"),
})

const replySchema = listReplySchema(activitySchema, "RelayActivityList")
  .extend({
    continueAfter: z
      .string()
      .nullable()
      .describe("What `startingAfter` is to be for the next page; null when there is none"),
    dropped: z
      .int()
      .describe(
        "Requests of the same time that are not listed: of too many, errors are kept first, and a sample",
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
    "Newest first, for 7 days: what was selected and changed, the answer, and how long it took; never values. Requests are listed some seconds after they ended. A page looks at 1,000 of them at most, so that a filter can answer a page with few, or none, that has more behind it: go on with `continueAfter`.",
  auth: [apiKey("relayActivity:list")],
  request: { path: relayPathSchema, query: querySchema, headers: z.object({}), body: { kind: "none" } },
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

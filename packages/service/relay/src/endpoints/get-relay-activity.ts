import { apiKey, endpoint, idParameter } from "@sealway/http"
import { isId, NotFoundError } from "@sealway/kernel"
import { activitySchema, showActivity } from "../activity/activity-schema.ts"
import { findActivity } from "../activity/read-activity.ts"
import type { RelayDependencies } from "../dependencies.ts"
import { requireRelay } from "../records/require-relay.ts"
import { relayPathSchema } from "./relay-schema.ts"

export const getRelayActivity = endpoint({
  id: "get-relay-activity",
  method: "GET",
  path: "/relays/{relay_id}/activity/{activity_id}",
  tag: "Relays",
  summary: "Get a request through a relay",
  description: "An alert's `activityLink` points here.",
  auth: [apiKey("relayActivity:read")],
  reveals: "nothing",
  request: {
    path: relayPathSchema.extend({ activity_id: idParameter("relay_activity", "Id of the activity") }),
  },
  status: 200,
  reply: { kind: "object", schema: activitySchema, description: "The activity" },
  errors: ["not-found"],
  grants: ["dynamodb:GetItem/config", "dynamodb:Query/events"],
  async answer(
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
    return { body: showActivity(activity) }
  },
})

import { apiKey, endpoint } from "@sealway/http"
import * as z from "zod"
import { outboundDestinations } from "../records/outbound-destinations.ts"
import type { RelayDirectory } from "../records/relay-directory.ts"

/** How long clients may use an outdated list, in addition to the service's own cache time. */
const POLL_INTERVAL_SECONDS = 5

const relayOutboundSchema = z
  .object({
    teamUuid: z.string().describe("Id of the team"),
    appUuid: z.string().describe("Id of the app"),
    outboundDestinations: z
      .record(
        z.string(),
        z.object({
          id: z.string().describe("Id of the relay"),
          destinationDomain: z.string().describe("Pattern for the host of a request: same as the key"),
        }),
      )
      .describe(
        "Destinations of the app's relays. A destination with a port other than 443 is listed with and without its port, because clients compare either form",
      ),
  })
  .meta({ id: "RelayOutbound" })

export const getRelayOutbound = endpoint({
  id: "get-relay-outbound",
  method: "GET",
  path: "/v2/relay-outbound",
  tag: "Relays",
  summary: "List the destinations that go through the forward proxy",
  description: "For clients that decide per request whether to use the forward proxy.",
  auth: [apiKey()],
  reveals: "nothing",
  status: 200,
  reply: { kind: "object", schema: relayOutboundSchema, description: "The app's destinations" },
  replyHeaders: { "x-poll-interval": "Seconds to wait before the next poll" },
  errors: [],
  grants: ["dynamodb:Query/config"],
  async answer(
    { principal: { app } },
    { relays }: { readonly relays: Pick<RelayDirectory, "listDestinations"> },
  ) {
    return {
      body: {
        teamUuid: app.teamId,
        appUuid: app.id,
        outboundDestinations: outboundDestinations(await relays.listDestinations(app)),
      },
      headers: { "x-poll-interval": String(POLL_INTERVAL_SECONDS) },
    }
  },
})

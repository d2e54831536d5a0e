import { apiKey, endpoint } from "@sealway/platform"
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
          destinationDomain: z
            .string()
            .describe("What the host of a request is compared with: the key again"),
        }),
      )
      .describe(
        "What the app's relays are for. A destination whose port is not 443 stands here twice: with its port and without, because clients compare either",
      ),
  })
  .meta({ id: "RelayOutbound" })

export const getRelayOutbound = endpoint({
  id: "get-relay-outbound",
  method: "GET",
  path: "/v2/relay-outbound",
  tag: "Relays",
  summary: "List the destinations that go through the forward proxy",
  description: "For clients that decide for each request whether to send it through the forward proxy.",
  auth: [apiKey()],
  request: { path: z.object({}), headers: z.object({}), body: { kind: "none" } },
  status: 200,
  reply: { kind: "object", schema: relayOutboundSchema, description: "The app's destinations" },
  replyHeaders: { "x-poll-interval": "How long to wait until this is asked for again, in seconds" },
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

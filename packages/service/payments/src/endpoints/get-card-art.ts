import { apiKey, endpoint } from "@sealway/http"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import { requireCardArt } from "../network-tokens/manage-network-tokens.ts"
import { ENROLLED_READ_GRANTS } from "./enrolling-grants.ts"
import { networkTokenPathSchema } from "./parameters.ts"

export const getCardArt = endpoint({
  id: "get-card-art",
  method: "GET",
  path: "/payments/network-tokens/{network_token_id}/card-art",
  tag: "Network Tokens",
  summary: "Get the card art of a network token",
  description: "Returns 404 if there is none.",
  auth: [apiKey("networkToken:read")],
  reveals: "nothing",
  request: { path: networkTokenPathSchema },
  status: 200,
  reply: {
    kind: "object",
    schema: z
      .object({
        type: z.string().describe("MIME type"),
        data: z.string().describe("Base64"),
        width: z.int().describe("Pixels"),
        height: z.int().describe("Pixels"),
      })
      .meta({ id: "CardArt" }),
    description: "The picture",
  },
  errors: ["not-found"],
  grants: ENROLLED_READ_GRANTS,
  async answer({ principal: { app }, path }, dependencies: PaymentDependencies) {
    return { body: await requireCardArt(dependencies, app, path.network_token_id) }
  },
})

import { apiKey, readingEndpoint } from "@sealway/http"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import { requireCardArt } from "../network-tokens/manage-network-tokens.ts"
import { ENROLLED_READ_GRANTS } from "./enrolling-grants.ts"
import { networkTokenPathSchema } from "./parameters.ts"

export const getCardArt = readingEndpoint({
  id: "get-card-art",
  path: "/payments/network-tokens/{network_token_id}/card-art",
  tag: "Network Tokens",
  summary: "Get the card art of a network token",
  description: "Returns 404 if there is none.",
  auth: [apiKey("networkToken:read")],
  request: { path: networkTokenPathSchema },
  schema: z
    .object({
      type: z.string().describe("MIME type"),
      data: z.string().describe("Base64"),
      width: z.int().describe("Pixels"),
      height: z.int().describe("Pixels"),
    })
    .meta({ id: "CardArt" }),
  reply: "The picture",
  grants: ENROLLED_READ_GRANTS,
  async read({ principal: { app }, path }, dependencies: PaymentDependencies) {
    return await requireCardArt(dependencies, app, path.network_token_id)
  },
})

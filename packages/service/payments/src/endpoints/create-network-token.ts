import { BIN_GRANTS, MAX_PAYMENT_BYTES } from "@sealway/bins"
import { apiKey, endpoint } from "@sealway/http"
import { reportRefusal } from "@sealway/vault"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import { cardToTokenizeSchema } from "../network-tokens/card-to-tokenize.ts"
import { provisionToken } from "../network-tokens/provision-token.ts"
import { networkTokenSchema, showNetworkToken } from "../network-tokens/show-network-token.ts"
import { CARD_DATA_GRANTS } from "./card-data.ts"
import { ENROLLING_GRANTS } from "./enrolling-grants.ts"

export const createNetworkToken = endpoint({
  id: "create-network-token",
  method: "POST",
  path: "/payments/network-tokens",
  tag: "Network Tokens",
  summary: "Create a network token for a card",
  description:
    "The card's network issues a number that replaces the card number at one merchant. The merchant's enrolment with the card's brand must be active. Of the card, only the last four digits, the expiry and its BIN data are stored. If the card was replaced, its replacement is used.",
  auth: [apiKey("networkToken:create")],
  reveals: "card-facts",
  writes: true,
  request: {
    body: {
      kind: "object",
      schema: z
        .strictObject({
          card: cardToTokenizeSchema,
          merchant: z.string().max(64).describe("Id of the merchant"),
        })
        .meta({ id: "NetworkTokenInput" }),
      maxBytes: MAX_PAYMENT_BYTES,
    },
  },
  status: 201,
  reply: { kind: "object", schema: networkTokenSchema, description: "The network token" },
  errors: [
    "not-found",
    "decrypt/forbidden",
    "payments/network-tokens/ineligible-card",
    "payments/network-tokens/declined-tokenization",
    "payments/network-tokens/invalid-card",
    "payments/network-tokens/expired-card",
    "payments/network-tokens/merchant-not-ready",
    "payments/network-tokens/token-service-provider-provisioning",
    "payments/network-tokens/unavailable-token-service-provider",
  ],
  grants: [...CARD_DATA_GRANTS, ...BIN_GRANTS, "dynamodb:DeleteItem/payments", ...ENROLLING_GRANTS],
  async answer({ principal, caller, body }, dependencies: PaymentDependencies) {
    return { body: showNetworkToken(await provisionToken(dependencies, { principal, caller }, body)) }
  },
  onForbidden: reportRefusal,
})

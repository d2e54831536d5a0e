import { createdAtSchema, expirySchema, showTimes, updatedAtSchema } from "@sealway/bins"
import * as z from "zod"
import { shownFacts } from "../cards/show-card.ts"
import { TOKEN_SERVICE_PROVIDERS, TOKEN_STATUSES } from "../networks/messages/network-token.ts"
import type { NetworkToken } from "./network-token.ts"

/** A network token as the API returns it. */
export const networkTokenSchema = z
  .object({
    id: z.string(),
    merchant: z.string().describe("Id of the merchant"),
    number: z.string().describe("Number of the network token, as an `ev:` token"),
    expiry: expirySchema.describe("Of the network token"),
    card: z.object({ lastFour: z.string(), expiry: expirySchema, ...shownFacts }),
    tokenRequestorIdentifier: z.string().describe("Of the merchant"),
    paymentAccountReference: z.string().optional().describe("29 upper-case letters and digits"),
    tokenServiceProvider: z
      .enum(TOKEN_SERVICE_PROVIDERS)
      .describe("mdes: Mastercard, vts: Visa, aets: American Express"),
    status: z
      .enum(TOKEN_STATUSES)
      .describe(
        "`inactive` cannot be used, `suspended` may become active again or end, `deleted` is final. `provisioning` and `blocked` occur only with connectors and test values",
      ),
    createdAt: createdAtSchema,
    updatedAt: updatedAtSchema,
  })
  .meta({ id: "NetworkToken" })

/** A network token in a list: without its number, so that no list hands out many tokens at once. */
export const listedNetworkTokenSchema = networkTokenSchema
  .omit({ number: true })
  .meta({ id: "ListedNetworkToken" })

export function showNetworkToken(token: NetworkToken): z.infer<typeof networkTokenSchema> {
  const { id, details } = token
  const { merchantId, number, expiry, status, card, paymentAccountReference, ...rest } = details
  const { lastFour, expiry: cardExpiry, facts } = card
  return {
    id,
    merchant: merchantId,
    number,
    expiry,
    card: { lastFour, expiry: cardExpiry, ...facts },
    tokenRequestorIdentifier: rest.tokenRequestorIdentifier,
    ...(paymentAccountReference !== null && { paymentAccountReference }),
    tokenServiceProvider: rest.tokenServiceProvider,
    status,
    ...showTimes(token),
  }
}

export function showListedNetworkToken(token: NetworkToken): z.infer<typeof listedNetworkTokenSchema> {
  const { number: _number, ...shown } = showNetworkToken(token)
  return shown
}

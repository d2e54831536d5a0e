import * as z from "zod"
import { type CardExpiry, storedExpirySchema } from "../cards/card.ts"
import { cardFactsSchema } from "../cards/card-facts.ts"
import { type EnrolledRecord, newRecord, requestEnrolment, withEvent } from "../enrolments/enrolled-record.ts"
import type { EnrolmentDecision } from "../enrolments/enrolment.ts"
import type { TokenBrand } from "../merchants/merchant.ts"
import type {
  ProvisionTokenAnswer,
  TokenServiceProvider,
  TokenStatus,
} from "../networks/messages/network-token.ts"
import { TOKEN_SERVICE_PROVIDERS, TOKEN_STATUSES } from "../networks/messages/network-token.ts"

/** The providers of network tokens, by brand. Other brands have none. */
export const PROVIDERS: Readonly<Record<TokenBrand, TokenServiceProvider>> = {
  mastercard: "mdes",
  visa: "vts",
  "american-express": "aets",
}

/** The stored details of a network token, sealed. */
export const networkTokenDetailsSchema = z.object({
  merchantId: z.string(),
  /** The number of the network token, as a token of ours. */
  number: z.string(),
  expiry: storedExpirySchema,
  status: z.enum(TOKEN_STATUSES),
  card: z.object({ lastFour: z.string(), expiry: storedExpirySchema, facts: cardFactsSchema }),
  tokenRequestorIdentifier: z.string(),
  paymentAccountReference: z.string().nullable(),
  tokenServiceProvider: z.enum(TOKEN_SERVICE_PROVIDERS),
})

export type NetworkTokenDetails = z.infer<typeof networkTokenDetailsSchema>
export type NetworkToken = EnrolledRecord<NetworkTokenDetails>

/** The only enrolment of a network token. */
export const TOKEN = "token"

const NEVER_PROVISIONING = TOKEN_STATUSES.filter((status) => status !== "provisioning")

/** The statuses that a network can set in each status. `deleted` is final. */
export const TOKEN_STEPS: Readonly<Record<TokenStatus, readonly TokenStatus[]>> = {
  provisioning: TOKEN_STATUSES,
  active: NEVER_PROVISIONING,
  inactive: NEVER_PROVISIONING,
  suspended: NEVER_PROVISIONING,
  blocked: NEVER_PROVISIONING,
  // Only a new expiry reactivates it, as active or inactive.
  expired: ["expired", "active", "inactive", "deleted"],
  deleted: [],
}

/** What a network says about a token, with its number as a token of ours. Absent fields stay the same. */
export interface TokenChange {
  readonly status: TokenStatus
  readonly number?: string
  readonly expiry?: CardExpiry | undefined
  readonly card?:
    | { readonly lastFour?: string | undefined; readonly expiry?: CardExpiry | undefined }
    | undefined
}

/** Returns the token after a network's change; the same object when its state table does not allow it. */
export function afterTokenChange(token: NetworkToken, change: TokenChange): NetworkToken {
  const { details } = token
  const { status, number = details.number, expiry = details.expiry, card = {} } = change
  if (!TOKEN_STEPS[details.status].includes(status)) return token
  const { lastFour = details.card.lastFour, expiry: cardExpiry = details.card.expiry } = card
  return {
    ...token,
    details: { ...details, status, number, expiry, card: { ...details.card, lastFour, expiry: cardExpiry } },
  }
}

/** Returns the name of a token at its network. It is requested once. */
export const tokenReferenceOf = (id: string): string => `${id}.1`

/** Creates the record of a provisioned token. @param nowMs epoch milliseconds of the request to the network */
export function newNetworkToken(
  id: string,
  appId: string,
  details: NetworkTokenDetails,
  { checkAfterMs }: Pick<Extract<ProvisionTokenAnswer, { result: "provisioned" }>, "checkAfterMs">,
  nowMs: number,
): NetworkToken {
  const requested = requestEnrolment(newRecord(id, appId, details, nowMs), TOKEN, nowMs)
  const answer: EnrolmentDecision =
    details.status === "provisioning" ? { status: "pending", checkAfterMs } : { status: "active" }
  return withEvent(requested, TOKEN, { type: "news", round: 1, atMs: nowMs, answer })
}

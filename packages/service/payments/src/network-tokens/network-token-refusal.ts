import { ApiError } from "@sealway/kernel"
import type { TokenRefusal } from "../networks/messages/network-token.ts"

/** Why there is no network token, or no cryptogram for one. */
type Refusal = TokenRefusal | "merchant-not-ready" | "token-not-active"

const REFUSALS = {
  "ineligible-card": ["ineligible-card", "The card's brand or issuer does not support network tokens."],
  "invalid-card": [
    "invalid-card",
    "The card was refused: its number, expiry or security code is wrong, or the registered card cannot be used.",
  ],
  "expired-card": ["expired-card", "The card has expired."],
  declined: ["declined-tokenization", "The card's issuer declined to create a network token."],
  "provider-unavailable": [
    "unavailable-token-service-provider",
    "The token service provider of the card's brand does not respond. Try again shortly.",
  ],
  "provider-provisioning": [
    "token-service-provider-provisioning",
    "The token service provider of the card's brand is being set up. Try again later.",
  ],
  "merchant-not-ready": [
    "merchant-not-ready",
    "The merchant's enrolment with the card's brand is not active. See the merchant's networkTokens for its state.",
  ],
  "token-not-active": ["token-not-active", "The network token is not active."],
} as const satisfies Record<Refusal, readonly [string, string]>

export function refuseToken(refusal: Refusal): ApiError {
  const [code, detail] = REFUSALS[refusal]
  return new ApiError(`payments/network-tokens/${code}`, detail)
}

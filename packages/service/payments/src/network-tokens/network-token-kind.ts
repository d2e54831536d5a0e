import type { App } from "@sealway/accounts"
import { cardNumberToken } from "../card-number-of.ts"
import type { EnrolledKind, EnrolmentDependencies } from "../enrolments/enrolled-kind.ts"
import { createEnrolledTable } from "../enrolments/enrolled-table.ts"
import type { EnrolmentDecision } from "../enrolments/enrolment.ts"
import { releaseMerchant } from "../merchants/merchant-uses.ts"
import type { TokenStanding } from "../networks/messages/network-token.ts"
import { openOwnNumber } from "../own-number.ts"
import {
  afterTokenChange,
  type NetworkToken,
  type NetworkTokenDetails,
  networkTokenDetailsSchema,
  tokenReferenceOf,
} from "./network-token.ts"
import { showNetworkToken } from "./show-network-token.ts"

/** A network's answer about a token. */
export type TokenDecision = EnrolmentDecision & { readonly standing: TokenStanding }

export function tokenDecisionOf(standing: TokenStanding): TokenDecision {
  const { status, checkAfterMs } = standing
  return status === "provisioning"
    ? { status: "pending", checkAfterMs, standing }
    : { status: "active", standing }
}

/** How network tokens are stored, tracked and published. */
export const NETWORK_TOKENS: EnrolledKind<NetworkTokenDetails, TokenDecision> = {
  type: "network-token",
  idPrefix: "network_token",
  title: "The network token",
  table: createEnrolledTable("network-token", networkTokenDetailsSchema),
  eventType: "payments.network-token.updated",
  isListed: () => true,
  show: async (token) => showNetworkToken(token),
  standing: ({ details: { status, number, expiry, card } }) => [status, number, expiry, card],

  // It was requested before its record existed.
  enrol: async (network, { id }, { requestedAt }) =>
    tokenDecisionOf(await network.tokenStanding({ reference: tokenReferenceOf(id), requestedAt })),
  withdraw: (network, { id }) => network.deleteToken({ reference: tokenReferenceOf(id) }),
  abandon: (network, id) => network.deleteToken({ reference: tokenReferenceOf(id) }),

  take: takeStanding,
  // The network has deleted it, so it no longer needs its merchant.
  isEnded: ({ status }) => status === "deleted",
  release: ({ id, appId, details: { merchantId } }, _, { paymentsTable }) =>
    releaseMerchant(paymentsTable, appId, merchantId, id),
}

/** Takes in what a network says about a token. */
export async function takeStanding(
  token: NetworkToken,
  { standing: { number, ...standing } }: Pick<TokenDecision, "standing">,
  app: App,
  dependencies: EnrolmentDependencies,
): Promise<NetworkToken> {
  const isNew =
    number !== undefined && number !== (await openOwnNumber(dependencies.keyring, app, token.details.number))
  const sealed = isNew ? await cardNumberToken(dependencies, app, { digits: number, token: null }) : undefined
  return afterTokenChange(token, { ...standing, ...(sealed !== undefined && { number: sealed }) })
}

import type { App } from "@sealway/platform"
import type { BinAnswer, BinRequest } from "./messages/bin.ts"
import type {
  CardStanding,
  DeregisterCardRequest,
  DeregistrationAnswer,
  RegisterCardRequest,
} from "./messages/card-updates.ts"
import type {
  EnrolAcquirerRequest,
  EnrolMerchantRequest,
  EnrolmentAnswer,
  RegisterDomainRequest,
  WithdrawAcquirerRequest,
  WithdrawalAnswer,
  WithdrawDomainRequest,
  WithdrawMerchantRequest,
} from "./messages/enrolment.ts"
import type {
  CardArtAnswer,
  CardArtRequest,
  CryptogramAnswer,
  CryptogramRequest,
  DeleteTokenAnswer,
  DeleteTokenRequest,
  ProvisionTokenAnswer,
  ProvisionTokenRequest,
  TokenStanding,
  TokenStandingRequest,
} from "./messages/network-token.ts"
import type { ParAnswer, ParRequest } from "./messages/par.ts"
import type { VerifyAnswer, VerifyRequest } from "./messages/verify.ts"
import type { ThreeDSNetwork } from "./three-d-secure-network.ts"

/**
 * All that Sealway asks of card networks. Numbers and codes come in the clear: nobody logs or keeps what is asked.
 *
 * Each operation answers within 10 seconds. What a network refuses or does not know is an answer; every operation throws
 * `ApiError` `service-unavailable` when the network cannot be asked, or does not answer as agreed.
 *
 * Enrolments are asked for by reference, so that asking twice enrols once, and asking again tells how it stands.
 */
export interface CardNetwork extends ThreeDSNetwork {
  /** What is known of the numbers that begin with these digits. */
  bin(request: BinRequest): Promise<BinAnswer>
  /** The payment account reference of a number. */
  par(request: ParRequest): Promise<ParAnswer>
  /** Checks a card, and what its holder says, without a payment. */
  verify(request: VerifyRequest): Promise<VerifyAnswer>
  enrolMerchant(request: EnrolMerchantRequest): Promise<EnrolmentAnswer>
  withdrawMerchant(request: WithdrawMerchantRequest): Promise<WithdrawalAnswer>
  /** Registers a domain of a merchant for Apple Pay. */
  registerDomain(request: RegisterDomainRequest): Promise<EnrolmentAnswer>
  withdrawDomain(request: WithdrawDomainRequest): Promise<WithdrawalAnswer>
  enrolAcquirer(request: EnrolAcquirerRequest): Promise<EnrolmentAnswer>
  withdrawAcquirer(request: WithdrawAcquirerRequest): Promise<WithdrawalAnswer>
  /** Registers a card for updates of its account, or tells how it stands. */
  registerCard(request: RegisterCardRequest): Promise<CardStanding>
  deregisterCard(request: DeregisterCardRequest): Promise<DeregistrationAnswer>
  /** Makes a network token of a card for a merchant. Asked again by the same reference, it answers the same token. */
  provisionToken(request: ProvisionTokenRequest): Promise<ProvisionTokenAnswer>
  tokenStanding(request: TokenStandingRequest): Promise<TokenStanding>
  deleteToken(request: DeleteTokenRequest): Promise<DeleteTokenAnswer>
  /** Issues a cryptogram for one payment with a network token. */
  cryptogram(request: CryptogramRequest): Promise<CryptogramAnswer>
  cardArt(request: CardArtRequest): Promise<CardArtAnswer>
}

/**
 * The network that an app talks to: the sandbox for a sandbox app, its connector for a production app.
 *
 * @param wallClock by which the sandbox answers; that of a repeated request stands still. Default: the process's
 */
export type CardNetworkOf = (app: App, wallClock?: () => number) => CardNetwork

import type { App } from "@sealway/accounts"
import type {
  SubscribeUpdatesRequest,
  SubscriptionAnswer,
  UnsubscribeUpdatesRequest,
  UnsubscriptionAnswer,
} from "./messages/account-updater.ts"
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
import type { AlertAnswer, AnswerAlertRequest } from "./messages/pre-chargeback-alerts.ts"
import type {
  UnwatchAnswer,
  UnwatchRetryRequest,
  WatchRetryRequest,
  WatchStanding,
} from "./messages/retries.ts"
import type { VerifyAnswer, VerifyRequest } from "./messages/verify.ts"
import type { ThreeDSNetwork } from "./three-d-secure-network.ts"

/**
 * Everything that Sealway asks of card networks. Numbers and codes are in the clear: nobody logs or stores requests.
 *
 * Each operation answers within 10 seconds. When a network refuses or does not know, that is an answer; every operation
 * throws `ApiError` `service-unavailable` when the network cannot be asked, or violates the protocol.
 *
 * Enrolments are requested with a reference, so that asking twice enrols once, and asking again returns the state.
 */
export interface CardNetwork extends ThreeDSNetwork {
  /** Returns what is known about the numbers that start with these digits. */
  bin(request: BinRequest): Promise<BinAnswer>
  /** Returns the payment account reference of a number. */
  par(request: ParRequest): Promise<ParAnswer>
  /** Checks a card, and its holder's details, without a payment. */
  verify(request: VerifyRequest): Promise<VerifyAnswer>
  enrolMerchant(request: EnrolMerchantRequest): Promise<EnrolmentAnswer>
  withdrawMerchant(request: WithdrawMerchantRequest): Promise<WithdrawalAnswer>
  /** Registers a domain of a merchant for Apple Pay. */
  registerDomain(request: RegisterDomainRequest): Promise<EnrolmentAnswer>
  withdrawDomain(request: WithdrawDomainRequest): Promise<WithdrawalAnswer>
  enrolAcquirer(request: EnrolAcquirerRequest): Promise<EnrolmentAnswer>
  withdrawAcquirer(request: WithdrawAcquirerRequest): Promise<WithdrawalAnswer>
  /** Registers a card for account updates, or returns its state. */
  registerCard(request: RegisterCardRequest): Promise<CardStanding>
  deregisterCard(request: DeregisterCardRequest): Promise<DeregistrationAnswer>
  /** Watches a card whose payment was declined until there is a signal, or returns the state of the watch. */
  watchRetry(request: WatchRetryRequest): Promise<WatchStanding>
  unwatchRetry(request: UnwatchRetryRequest): Promise<UnwatchAnswer>
  /** Answers an alert of a dispute. Repeated with the same reference, it is the same answer. */
  answerAlert(request: AnswerAlertRequest): Promise<AlertAnswer>
  /**
   * Subscribes a merchant to the account updates of a card, or returns the state of the subscription. The network then
   * reports the updates.
   */
  subscribeUpdates(request: SubscribeUpdatesRequest): Promise<SubscriptionAnswer>
  unsubscribeUpdates(request: UnsubscribeUpdatesRequest): Promise<UnsubscriptionAnswer>
  /**
   * Provisions a network token of a card for a merchant. Repeated with the same reference, it returns the same token.
   */
  provisionToken(request: ProvisionTokenRequest): Promise<ProvisionTokenAnswer>
  tokenStanding(request: TokenStandingRequest): Promise<TokenStanding>
  deleteToken(request: DeleteTokenRequest): Promise<DeleteTokenAnswer>
  /** Issues a cryptogram for one payment with a network token. */
  cryptogram(request: CryptogramRequest): Promise<CryptogramAnswer>
  cardArt(request: CardArtRequest): Promise<CardArtAnswer>
}

/**
 * Returns the network of an app: the sandbox for a sandbox app, its connector for a production app.
 *
 * @param wallClock the clock of the sandbox's answers, which is frozen for a repeated request. Default: the process's
 */
export type CardNetworkOf = (app: App, wallClock?: () => number) => CardNetwork

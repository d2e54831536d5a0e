import * as z from "zod"
import {
  accountUpdateSchema,
  subscribeUpdatesRequestSchema,
  subscriptionAnswerSchema,
  unsubscribeUpdatesRequestSchema,
  unsubscriptionAnswerSchema,
  updateSequenceSchema,
} from "../messages/account-updater.ts"
import {
  authenticateAnswerSchema,
  authenticateRequestSchema,
  threeDSRangeAnswerSchema,
  threeDSRangeRequestSchema,
  unreadMessageSchema,
} from "../messages/authenticate.ts"
import { binAnswerSchema, binRequestSchema } from "../messages/bin.ts"
import {
  cardStandingSchema,
  deregisterCardRequestSchema,
  deregistrationAnswerSchema,
  registerCardRequestSchema,
} from "../messages/card-updates.ts"
import {
  enrolAcquirerRequestSchema,
  enrolMerchantRequestSchema,
  enrolmentAnswerSchema,
  registerDomainRequestSchema,
  withdrawAcquirerRequestSchema,
  withdrawalAnswerSchema,
  withdrawDomainRequestSchema,
  withdrawMerchantRequestSchema,
} from "../messages/enrolment.ts"
import {
  cardArtAnswerSchema,
  cardArtRequestSchema,
  cryptogramAnswerSchema,
  cryptogramRequestSchema,
  deleteTokenAnswerSchema,
  deleteTokenRequestSchema,
  provisionTokenAnswerSchema,
  provisionTokenRequestSchema,
  tokenStandingRequestSchema,
  tokenStandingSchema,
} from "../messages/network-token.ts"
import { parAnswerSchema, parRequestSchema } from "../messages/par.ts"
import {
  alertAnswerSchema,
  answerAlertRequestSchema,
  networkAlertSchema,
} from "../messages/pre-chargeback-alerts.ts"
import { referenceSchema } from "../messages/request-values.ts"
import {
  retryConfidenceSchema,
  retrySignalSchema,
  unwatchAnswerSchema,
  unwatchRetryRequestSchema,
  watchRetryRequestSchema,
  watchStandingSchema,
} from "../messages/retries.ts"
import { verifyAnswerSchema, verifyRequestSchema } from "../messages/verify.ts"
import { MAX_CARD_ART_BYTES, operation, PING } from "./connector-operation.ts"

/** All operations of connectors. The client, the OpenAPI document and its test read this. */
export const CONNECTOR_OPERATIONS = {
  ping: PING,
  bin: operation("/bin", "Return the BIN data of a range of numbers", binRequestSchema, binAnswerSchema),
  par: operation("/par", "Find the payment account reference of a number", parRequestSchema, parAnswerSchema),
  verify: operation(
    "/verify",
    "Check a card and its holder, without a payment",
    verifyRequestSchema,
    verifyAnswerSchema,
  ),
  enrolMerchant: operation(
    "/enrol-merchant",
    "Enrol a merchant for a service, or return the state of its enrolment",
    enrolMerchantRequestSchema,
    enrolmentAnswerSchema,
  ),
  withdrawMerchant: operation(
    "/withdraw-merchant",
    "End the enrolment of a merchant for a service",
    withdrawMerchantRequestSchema,
    withdrawalAnswerSchema,
  ),
  registerDomain: operation(
    "/register-domain",
    "Register a domain of a merchant for Apple Pay, or return the state of its registration",
    registerDomainRequestSchema,
    enrolmentAnswerSchema,
  ),
  withdrawDomain: operation(
    "/withdraw-domain",
    "Deregister a domain of a merchant",
    withdrawDomainRequestSchema,
    withdrawalAnswerSchema,
  ),
  enrolAcquirer: operation(
    "/enrol-acquirer",
    "Enrol a configuration of an acquirer with a card network, or return the state of its enrolment",
    enrolAcquirerRequestSchema,
    enrolmentAnswerSchema,
  ),
  withdrawAcquirer: operation(
    "/withdraw-acquirer",
    "End the enrolment of an acquirer with a card network",
    withdrawAcquirerRequestSchema,
    withdrawalAnswerSchema,
  ),
  threeDSRange: operation(
    "/3ds-range",
    "Return the EMV 3-D Secure versions that a number supports",
    threeDSRangeRequestSchema,
    threeDSRangeAnswerSchema,
  ),
  authenticate: operation(
    "/authenticate",
    "Forward an AReq to the directory server, and return its response",
    authenticateRequestSchema,
    authenticateAnswerSchema,
  ),
  registerCard: operation(
    "/register-card",
    "Register a card for account updates, or return its state. Called daily",
    registerCardRequestSchema,
    cardStandingSchema,
  ),
  deregisterCard: operation(
    "/deregister-card",
    "End the registration of a card",
    deregisterCardRequestSchema,
    deregistrationAnswerSchema,
  ),
  subscribeUpdates: operation(
    "/subscribe-updates",
    "Subscribe a merchant to the account updates of a card, or return the state of the subscription. Report updates by `account.updated`, also after the number has changed",
    subscribeUpdatesRequestSchema,
    subscriptionAnswerSchema,
  ),
  unsubscribeUpdates: operation(
    "/unsubscribe-updates",
    "End the subscription to a card's account updates",
    unsubscribeUpdatesRequestSchema,
    unsubscriptionAnswerSchema,
  ),
  watchRetry: operation(
    "/watch-retry",
    "Watch a card whose payment was declined until there is a signal, or tell how the watch stands. Told later by `retry-watch.signal`",
    watchRetryRequestSchema,
    watchStandingSchema,
  ),
  unwatchRetry: operation("/unwatch-retry", "End a watch", unwatchRetryRequestSchema, unwatchAnswerSchema),
  answerAlert: operation(
    "/answer-alert",
    "Take the answer to a pre-chargeback alert to its network",
    answerAlertRequestSchema,
    alertAnswerSchema,
  ),
  provisionToken: operation(
    "/provision-token",
    "Create a network token for a card, or return the one that was created. `card.cvc` is for the issuer: do not store it",
    provisionTokenRequestSchema,
    provisionTokenAnswerSchema,
  ),
  tokenStanding: operation(
    "/token-standing",
    "Return the state of a network token",
    tokenStandingRequestSchema,
    tokenStandingSchema,
  ),
  deleteToken: operation(
    "/delete-token",
    "Delete a network token, even if Sealway never received the response that created it",
    deleteTokenRequestSchema,
    deleteTokenAnswerSchema,
  ),
  cryptogram: operation(
    "/cryptogram",
    "Issue a cryptogram for one payment with a network token",
    cryptogramRequestSchema,
    cryptogramAnswerSchema,
  ),
  cardArt: {
    ...operation(
      "/card-art",
      "Return the card art of a token. Up to 2 MB",
      cardArtRequestSchema,
      cardArtAnswerSchema,
    ),
    maxAnswerBytes: MAX_CARD_ART_BYTES,
  },
} as const

export type ConnectorOperationName = keyof typeof CONNECTOR_OPERATIONS

const occurredAtSchema = z
  .int()
  .min(0)
  .describe("Time of the change, in epoch milliseconds. Events older than the known state are ignored")

/** What a connector reports on its own, with `POST /payments/connector-events`. */
export const connectorEventSchema = z
  .discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("enrolment.updated"),
      occurredAt: occurredAtSchema,
      reference: referenceSchema.describe("Of the request to enrol, or to subscribe to updates"),
      enrolment: enrolmentAnswerSchema,
    }),
    z.strictObject({
      type: z.literal("card.updated"),
      occurredAt: occurredAtSchema,
      reference: referenceSchema.describe("Reference from the request to register the card"),
      card: cardStandingSchema,
    }),
    z.strictObject({
      type: z.literal("network-token.updated"),
      occurredAt: occurredAtSchema,
      reference: referenceSchema.describe("Reference from the request to provision the token"),
      token: tokenStandingSchema,
    }),
    z.strictObject({
      type: z.literal("account.updated"),
      occurredAt: occurredAtSchema.describe("When the card changed, in epoch milliseconds"),
      reference: referenceSchema.describe("Of the request to subscribe"),
      sequence: updateSequenceSchema,
      update: accountUpdateSchema,
    }),
    z.strictObject({
      type: z.literal("retry-watch.signal"),
      occurredAt: occurredAtSchema,
      reference: referenceSchema.describe("Of the request to watch the card"),
      signal: retrySignalSchema,
      confidence: retryConfidenceSchema,
    }),
    z.strictObject({
      type: z.literal("pre-chargeback-alert.created"),
      occurredAt: occurredAtSchema,
      alert: networkAlertSchema,
    }),
    z.strictObject({
      type: z.literal("3ds-challenge.results"),
      rreq: unreadMessageSchema.describe(
        "The RReq, as the directory server sends it. A 204 response means an RRes with `resultsStatus` 01; a 400 means an Erro that names the elements in `fields`",
      ),
    }),
  ])
  .meta({ id: "ConnectorEvent" })

export type ConnectorEvent = z.infer<typeof connectorEventSchema>

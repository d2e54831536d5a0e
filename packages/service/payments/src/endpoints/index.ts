import type { Endpoint } from "@sealway/http"
import type { PaymentDependencies } from "../dependencies.ts"
import { list3dsMessages, list3dsSessions } from "./3ds-sessions.ts"
import { deleteAcquirer, getAcquirer, listAcquirers } from "./acquirers.ts"
import { activateBinTable } from "./activate-bin-table.ts"
import { answerSandboxChallenge } from "./answer-sandbox-challenge.ts"
import { deleteBinTable, getBinTable, listBinTables } from "./bin-tables.ts"
import { deleteCardSubscription, getCardSubscription, listCardSubscriptions } from "./card-subscriptions.ts"
import { deleteCard, getCard, listCards } from "./cards.ts"
import { deleteConnector, getConnector } from "./connectors.ts"
import { create3dsSession } from "./create-3ds-session.ts"
import { createAcquirer } from "./create-acquirer.ts"
import { createBinLookup } from "./create-bin-lookup.ts"
import { createBinTable } from "./create-bin-table.ts"
import { createCardInsight } from "./create-card-insight.ts"
import { createCardSubscription } from "./create-card-subscription.ts"
import { createCryptogram } from "./create-cryptogram.ts"
import { createMerchant } from "./create-merchant.ts"
import { createNetworkToken } from "./create-network-token.ts"
import { createParLookup } from "./create-par-lookup.ts"
import { createRetryEnrolment } from "./create-retry-enrolment.ts"
import { createRetryWatch } from "./create-retry-watch.ts"
import { finish3dsChallenge } from "./finish-3ds-challenge.ts"
import { finish3dsFingerprint } from "./finish-3ds-fingerprint.ts"
import { get3dsBrowserSession } from "./get-3ds-browser-session.ts"
import { get3dsSession } from "./get-3ds-session.ts"
import { getCardArt } from "./get-card-art.ts"
import { getSandboxValues } from "./get-sandbox-values.ts"
import { deleteMerchant, getMerchant, listMerchants } from "./merchants.ts"
import { deleteNetworkToken, getNetworkToken, listNetworkTokens } from "./network-tokens.ts"
import { open3dsPage } from "./open-3ds-page.ts"
import { openSandboxChallenge } from "./open-sandbox-challenge.ts"
import { getPreChargebackAlert, listPreChargebackAlerts } from "./pre-chargeback-alerts.ts"
import { putBinTableRows } from "./put-bin-table-rows.ts"
import { receive3dsResults } from "./receive-3ds-results.ts"
import { receiveConnectorEvent } from "./receive-connector-event.ts"
import { registerCard } from "./register-card.ts"
import { deleteRetryEnrolment, getRetryEnrolment, listRetryEnrolments } from "./retry-enrolments.ts"
import { deleteRetryWatch, getRetryWatch, listRetryWatches } from "./retry-watches.ts"
import { rotateConnectorSecret } from "./rotate-connector-secret.ts"
import { setConnector } from "./set-connector.ts"
import { simulateAccountUpdate } from "./simulate-account-update.ts"
import { simulateCardUpdate } from "./simulate-card-update.ts"
import { simulateNetworkTokenUpdate } from "./simulate-network-token-update.ts"
import { simulatePreChargebackAlert } from "./simulate-pre-chargeback-alert.ts"
import { simulateRetrySignal } from "./simulate-retry-signal.ts"
import { takeSandboxFingerprint } from "./take-sandbox-fingerprint.ts"
import { testConnector } from "./test-connector.ts"
import { update3dsBrowserSession } from "./update-3ds-browser-session.ts"
import { updateAcquirer } from "./update-acquirer.ts"
import { updateMerchant } from "./update-merchant.ts"
import { updatePreChargebackAlert } from "./update-pre-chargeback-alert.ts"

export const paymentEndpoints: readonly Endpoint<PaymentDependencies>[] = [
  createCardInsight,
  createBinLookup,
  createParLookup,
  createBinTable,
  listBinTables,
  getBinTable,
  putBinTableRows,
  activateBinTable,
  deleteBinTable,
  createMerchant,
  listMerchants,
  getMerchant,
  updateMerchant,
  deleteMerchant,
  createAcquirer,
  listAcquirers,
  getAcquirer,
  updateAcquirer,
  deleteAcquirer,
  createNetworkToken,
  listNetworkTokens,
  getNetworkToken,
  deleteNetworkToken,
  createCryptogram,
  getCardArt,
  simulateNetworkTokenUpdate,
  registerCard,
  listCards,
  getCard,
  deleteCard,
  simulateCardUpdate,
  createCardSubscription,
  listCardSubscriptions,
  getCardSubscription,
  deleteCardSubscription,
  simulateAccountUpdate,
  createRetryEnrolment,
  listRetryEnrolments,
  getRetryEnrolment,
  deleteRetryEnrolment,
  createRetryWatch,
  listRetryWatches,
  getRetryWatch,
  deleteRetryWatch,
  simulateRetrySignal,
  simulatePreChargebackAlert,
  listPreChargebackAlerts,
  getPreChargebackAlert,
  updatePreChargebackAlert,
  setConnector,
  getConnector,
  deleteConnector,
  rotateConnectorSecret,
  testConnector,
  receiveConnectorEvent,
  create3dsSession,
  list3dsSessions,
  get3dsSession,
  list3dsMessages,
  get3dsBrowserSession,
  update3dsBrowserSession,
  open3dsPage,
  finish3dsChallenge,
  finish3dsFingerprint,
  receive3dsResults,
  getSandboxValues,
  openSandboxChallenge,
  answerSandboxChallenge,
  takeSandboxFingerprint,
]

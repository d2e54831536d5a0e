import type { EnrolledKind } from "../enrolments/enrolled-kind.ts"
import { referenceOf } from "../enrolments/enrolled-record.ts"
import { releaseMerchant } from "../merchants/merchant-uses.ts"
import { openOwnNumber } from "../own-number.ts"
import { showSubscription, showUpdate } from "./show-subscription.ts"
import { type SubscriptionDetails, statusOf } from "./subscription.ts"
import { releaseSubscription } from "./subscription-numbers.ts"
import { SUBSCRIPTION_TABLE } from "./subscription-table.ts"

/** How subscriptions are stored, enrolled and reported. The network of an active one pushes its updates. */
export const SUBSCRIPTIONS: EnrolledKind<SubscriptionDetails> = {
  type: "card-subscription",
  idPrefix: "card_subscription",
  title: "The subscription",
  table: SUBSCRIPTION_TABLE,
  eventType: "payments.account-updater.updated",
  isListed: () => true,
  show: async (subscription) => showSubscription(subscription),
  standing: (subscription) => [statusOf(subscription), subscription.details.lastUpdate],
  tell: (before, changed) => {
    const { lastUpdate } = changed.details
    const isNew = lastUpdate !== null && lastUpdate.count !== before.details.lastUpdate?.count
    return isNew ? { data: showUpdate(changed, lastUpdate) } : null
  },

  async enrol(network, subscription, enrolment, { app, keyring }) {
    const { number, expiry, merchantId } = subscription.details
    return network.subscribeUpdates({
      reference: referenceOf(subscription, enrolment),
      requestedAt: enrolment.requestedAt,
      merchant: { id: merchantId },
      number: await openOwnNumber(keyring, app, number),
      ...(expiry !== null && { expiry }),
    })
  },

  withdraw: (network, subscription, enrolment) =>
    network.unsubscribeUpdates({ reference: referenceOf(subscription, enrolment) }),

  // An ended subscription needs neither its number nor its merchant.
  isEnded: ({ isEnded }) => isEnded,
  async release({ id, appId, details: { merchantId, numberKeys } }, _, { paymentsTable }) {
    await releaseSubscription(paymentsTable, { id, appId }, numberKeys)
    await releaseMerchant(paymentsTable, appId, merchantId, id)
  },
}

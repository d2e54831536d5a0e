// From a card to a paid order, in three steps. Everything that is known of the card here is a token.
import { randomUUID } from "node:crypto"
import { SealwayError } from "./sealway.mjs"

export const ITEM = { name: "Field notebook, dotted, A5", amount: 1_800, currency: "eur" }
const MAX_ORDERS = 1_000

/**
 * @param {{payments: ReturnType<import("./sealway.mjs").createApi>, merchantId: string, charge: (charge: object) => Promise<object>}} shop
 *   `charge` takes a charge to the processor
 */
export function createOrders({ payments, merchantId, charge }) {
  /** In memory: an example shop forgets its orders. */
  const orders = new Map()

  /** Steps 1 and 2: a network token for the card, and a session in which its bank asks the cardholder. */
  async function begin({ number, cvc, expiry }) {
    const card = { number, expiry }
    try {
      const token = await payments.post("/payments/network-tokens", {
        card: { ...card, cvc },
        merchant: merchantId,
      })
      const { amount, currency } = ITEM
      const session = await payments.post("/payments/3ds-sessions", {
        ...{ merchant: merchantId, card },
        payment: { type: "one-off", amount, currency },
      })
      const order = { id: randomUUID(), status: "authenticating", token, sessionId: session.id, saw: number }
      if (orders.size >= MAX_ORDERS) orders.delete(orders.keys().next().value)
      orders.set(order.id, order)
      return { id: order.id, status: order.status, authenticate: session.nextAction.url }
    } catch (error) {
      return { status: "declined", reason: reasonOf(error) }
    }
  }

  /** Step 3, once however often it is asked for. Null: there is no such order. */
  async function finish(id) {
    const order = orders.get(id)
    if (order === undefined) return null
    order.finishing ??= settle(order).finally(() => {
      order.finishing = undefined
    })
    await order.finishing
    const { status, reason, receipt } = order
    return { id, status, reason, receipt }
  }

  /** Whatever the browser says, it is Sealway that is asked whether the bank has confirmed the cardholder. */
  async function settle(order) {
    if (order.status !== "authenticating") return
    const session = await payments.get(`/payments/3ds-sessions/${order.sessionId}`)
    if (session.status === "action-required") return
    if (session.status === "failure") {
      order.status = "declined"
      order.reason = FAILURES[session.failureReason] ?? "Your bank has not confirmed the payment."
      return
    }
    const { token } = order
    const { cryptogram } = await payments.post(`/payments/network-tokens/${token.id}/cryptograms`)
    const charged = await charge({
      // The processor charges an order once, however often it is sent.
      reference: order.id,
      ...{ amount: ITEM.amount, currency: ITEM.currency },
      card: { number: token.number, expiry: token.expiry, cryptogram },
      authentication: {
        cryptogram: session.cryptogram,
        eci: session.eci.value,
        version: session.version,
        directoryServerTransaction: session.directoryServer.transactionIdentifier,
      },
    })
    order.status = "paid"
    order.receipt = { reference: charged.reference, shopSaw: order.saw, processorSaw: charged.saw }
  }

  return { begin, finish }
}

const FAILURES = {
  cancelled: "You cancelled the payment.",
  "failed-authentication": "Your bank could not confirm that it is you.",
  "authentication-timed-out": "That took too long.",
}

/** What the customer is told. Details of a refusal are not for browsers. */
function reasonOf(error) {
  if (!(error instanceof SealwayError) || error.status >= 500) throw error
  process.stderr.write(`Sealway refuses a card: ${error.code}\n`)
  return "This card cannot be used here. Try another one."
}

import { readFileSync } from "node:fs"

const { processorUrl } = JSON.parse(readFileSync(new URL("settings.json", import.meta.url), "utf8"))

/**
 * Charges a card. The caller sends the card's number, expiry and cvc as tokens; here they are plain.
 *
 * @param payload `{card: {number, expiry, cvc}, amount, currency}`; the amount in the currency's smallest unit
 */
export const handler = async ({ card, amount, currency }, context) => {
  const response = await fetch(processorUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ number: card.number, expiry: card.expiry, cvc: card.cvc, amount, currency }),
  })
  if (!response.ok) throw new Error(`The processor answered ${response.status}`)
  const charge = await response.json()
  // What is returned goes to the caller as it is: nothing of the card but what may be seen, or is sealed again.
  return {
    approved: charge.approved,
    reference: charge.reference ?? null,
    reason: charge.reason ?? null,
    lastFour: card.number.slice(-4),
    cardOnFile: charge.approved ? context.encrypt(card.number) : null,
  }
}

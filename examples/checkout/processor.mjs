// A card processor that only plays: it approves charges of network tokens, each order once, and remembers them in memory.
import { createServer } from "node:http"
import { json } from "node:stream/consumers"

/**
 * @param {(charge: object) => void} onCharge told of each new charge
 * @returns {import("node:http").Server}
 */
export function createProcessor(onCharge) {
  const charges = new Map()

  function chargeOnce(asked) {
    const { reference, amount, currency, card, authentication } = asked
    const isComplete =
      [reference, currency, card?.cryptogram, authentication?.cryptogram, authentication?.eci].every(
        isText,
      ) &&
      Number.isInteger(amount) &&
      /^\d{12,19}$/.test(card.number)
    if (!isComplete) return null
    if (!charges.has(reference)) {
      onCharge(asked)
      const saw = `network token •••• ${card.number.slice(-4)}, good for this shop only`
      charges.set(reference, { reference: `ch_${charges.size + 1}`, approved: true, saw })
    }
    return charges.get(reference)
  }

  return createServer(async (request, response) => {
    const answer = (status, body) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    if (request.method !== "POST" || request.url !== "/charges") return answer(404, { error: "not-found" })
    const asked = await json(request).catch(() => null)
    const charged = asked && chargeOnce(asked)
    return charged ? answer(200, charged) : answer(400, { error: "invalid-charge" })
  })
}

const isText = (value) => typeof value === "string" && value !== ""

// A card processor that only plays: approves charges, declines cards that end in 0002, and keeps nothing.
// node fake-processor.mjs [PORT]
import { createServer } from "node:http"

const port = Number(process.argv[2] ?? 8787)

const server = createServer(async (request, response) => {
  const answer = (status, body) => {
    response.writeHead(status, { "content-type": "application/json" })
    response.end(JSON.stringify(body))
  }
  if (request.method !== "POST" || request.url !== "/charges") return answer(404, { error: "not-found" })
  try {
    let text = ""
    for await (const chunk of request) text += chunk
    const { number, expiry, cvc, amount, currency } = JSON.parse(text)
    const complete =
      /^\d{12,19}$/.test(number) &&
      /^\d{2}\/\d{2}$/.test(expiry) &&
      /^\d{3,4}$/.test(cvc) &&
      Number.isInteger(amount) &&
      typeof currency === "string"
    if (!complete) return answer(400, { error: "invalid-charge" })
    if (number.endsWith("0002")) return answer(200, { approved: false, reason: "card-declined" })
    answer(200, { approved: true, reference: `ch_${number.slice(-4)}_${amount}_${currency}` })
  } catch {
    answer(400, { error: "invalid-charge" })
  }
})

server.listen(port, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}/charges\n`)
})

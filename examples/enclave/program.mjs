// A program in an enclave. It receives card numbers in the clear, behind the agent's ingress, and answers with tokens.
import { createServer } from "node:http"

const server = createServer(async (request, response) => {
  const { card } = JSON.parse(Buffer.concat(await request.toArray()).toString())
  const answer = { lastFour: card.slice(-4), card }
  // The agent encrypts without a call.
  const sealed = await fetch("http://127.0.0.1:9999/encrypt", {
    method: "POST",
    headers: { "content-type": "application/json", "x-service-data-role": "pci" },
    body: JSON.stringify(answer.card),
  })
  response.writeHead(200, { "content-type": "application/json" })
  response.end(JSON.stringify({ ...answer, card: await sealed.json() }))
})

server.listen(3000, "127.0.0.1")

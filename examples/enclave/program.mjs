// A program in an enclave. It receives card numbers in the clear, behind the agent's ingress, and answers with tokens.
import { createServer } from "node:http"

async function answerTo(request) {
  const { card } = JSON.parse(Buffer.concat(await request.toArray()).toString())
  // The agent encrypts without a call.
  const sealed = await fetch("http://127.0.0.1:9999/encrypt", {
    method: "POST",
    headers: { "content-type": "application/json", "x-service-data-role": "pci" },
    body: JSON.stringify(card),
  })
  return JSON.stringify({ lastFour: card.slice(-4), card: await sealed.json() })
}

const server = createServer((request, response) => {
  // An error that is not caught would end the enclave: a request that is no JSON, or breaks off.
  answerTo(request).then(
    (answer) => response.writeHead(200, { "content-type": "application/json" }).end(answer),
    () => response.writeHead(400).end(),
  )
})

server.listen(3000, "127.0.0.1")

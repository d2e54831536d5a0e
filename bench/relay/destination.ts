import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { Server } from "node:net"

/**
 * The destination of relayed requests: answers everything with 1 KB of JSON, by HTTP and by HTTPS. Reads one line from
 * standard input, `{key, certificate}` in PEM; prints its ports.
 */
const ANSWER = Buffer.from(JSON.stringify({ received: true, padding: "x".repeat(1000) }))

const answer: RequestListener = (request, response) => {
  request.resume()
  request.on("end", () => {
    response.writeHead(200, { "content-type": "application/json", "content-length": ANSWER.length })
    response.end(ANSWER)
  })
}

const [line] = await once(process.stdin, "data")
const { key, certificate } = JSON.parse(String(line)) as { key: string; certificate: string }
const [http, https] = await Promise.all([
  listen(createServer(answer)),
  listen(createTlsServer({ key, cert: certificate }, answer)),
])
console.log(JSON.stringify({ http, https }))

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("The server has no port")
  return address.port
}

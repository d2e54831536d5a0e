import cluster from "node:cluster"
import { once } from "node:events"
import { Agent, createServer } from "node:http"
import { createProxyServer } from "http-proxy-3"

/**
 * http-proxy-3 with connections to its target kept open, as its documentation advises. Several workers share the port
 * by `node:cluster`, as it advises too. Prints its port when all of them listen.
 */
const [, , target, workers = "1"] = process.argv
if (target === undefined) throw new Error("Say where to forward to")

if (cluster.isPrimary && Number(workers) > 1) {
  const listening = Array.from({ length: Number(workers) }, () => once(cluster.fork(), "listening"))
  const [[address]] = (await Promise.all(listening)) as [[{ port: number }]]
  console.log(JSON.stringify({ port: address.port }))
} else {
  const proxy = createProxyServer({ target, agent: new Agent({ keepAlive: true, maxSockets: 256 }) })
  const server = createServer((request, response) => proxy.web(request, response))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (cluster.isPrimary && typeof address === "object" && address !== null)
    console.log(JSON.stringify({ port: address.port }))
}

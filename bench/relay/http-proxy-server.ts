import { once } from "node:events"
import { Agent, createServer } from "node:http"
import { createProxyServer } from "http-proxy-3"

/** http-proxy-3 with connections to its target kept open, as its documentation advises. Prints its port. */
const [, , target] = process.argv
if (target === undefined) throw new Error("Say where to forward to")
const proxy = createProxyServer({ target, agent: new Agent({ keepAlive: true, maxSockets: 256 }) })
const server = createServer((request, response) => proxy.web(request, response))
server.listen(0, "127.0.0.1")
await once(server, "listening")
const address = server.address()
if (typeof address === "object" && address !== null) console.log(JSON.stringify({ port: address.port }))

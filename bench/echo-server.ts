import { createServer } from "node:http"

/** The minimum that node:http needs for a JSON request: read it, parse it, write it back. Prints its port. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const body = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString()))
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
    response.end(body)
  })
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (typeof address === "object" && address !== null) console.log(JSON.stringify({ port: address.port }))
})

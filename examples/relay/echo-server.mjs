// A destination to try relays with: it answers what it was sent. PORT says where, 3100 without it.
import { createServer } from "node:http"

const server = createServer((request, response) => {
  response.setHeader("content-type", request.headers["content-type"] ?? "text/plain")
  request.pipe(response)
})

server.listen(Number(process.env.PORT ?? 3100), "127.0.0.1", () => {
  process.stdout.write(`Echoes at http://127.0.0.1:${server.address().port}\n`)
})

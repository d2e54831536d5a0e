import { createServer } from "node:http"

/** The destination of relayed requests: accepts everything, and answers `{}`. Prints its port. */
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(200, { "content-type": "application/json", "content-length": 2 }).end("{}")
  })
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (typeof address === "object") console.log(JSON.stringify({ port: address?.port }))
})

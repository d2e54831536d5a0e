/** Express with the parsers that NestJS sets by default: prints its port, and answers what an application reads. */
import type { AddressInfo } from "node:net"
import express from "express"

const CARD = "4242424242424242"

const app = express()
app.use(express.json())
app.use(express.urlencoded({ extended: true }))
app.post("/pay", (request, response) => {
  response.json(request.body)
})
app.get("/cards", (_, response) => {
  response.format({
    "application/json": () => response.json({ card: CARD }),
    "application/xml": () => response.send(`<card>${CARD}</card>`),
  })
})
const server = app.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${port}\n`)
})

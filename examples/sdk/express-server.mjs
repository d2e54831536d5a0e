// A server with Express: it stores tokens, decrypts where it must, and receives webhooks.
import { randomUUID } from "node:crypto"
import { ApiError, Sealway } from "@sealway/sdk"
import express from "express"

/**
 * @param {Sealway} sealway
 * @param {string} webhookSecret `whsec_…`
 */
export function createCustomerServer(sealway, webhookSecret) {
  const customers = new Map()
  const handledEvents = new Set()
  const server = express()

  // Before express.json: the signature is over the bytes as they came.
  server.post("/hooks", express.raw({ type: "*/*", limit: "1mb" }), async (request, response) => {
    try {
      const event = await Sealway.webhooks.verify(request.body, request.headers, webhookSecret)
      // An event may arrive twice.
      if (!handledEvents.has(event.id)) console.log(`Sealway reports ${event.type}`)
      handledEvents.add(event.id)
      response.sendStatus(204)
    } catch {
      response.sendStatus(400)
    }
  })

  server.use(express.json())

  server.post("/customers", async (request, response) => {
    const { name, iban } = request.body
    const customer = { id: randomUUID(), name, iban: await sealway.encrypt(String(iban)) }
    customers.set(customer.id, customer)
    response.status(201).json(customer)
  })

  // In your server, only for people who have signed in and may see this customer.
  server.get("/customers/:id/iban", async (request, response) => {
    const customer = customers.get(request.params.id)
    if (customer === undefined) return response.sendStatus(404)
    response.json({ iban: await sealway.decrypt(customer.iban) })
  })

  server.use((error, _request, response, next) => {
    if (error instanceof ApiError && error.code === "decrypt/forbidden") return response.sendStatus(403)
    next(error)
  })
  return server
}

if (import.meta.main) {
  const {
    SEALWAY_APP: appId,
    SEALWAY_API_KEY: apiKey,
    SEALWAY_URL: baseUrl,
    WEBHOOK_SECRET = "",
  } = process.env
  const sealway = new Sealway({ appId, apiKey, baseUrl })
  createCustomerServer(sealway, WEBHOOK_SECRET).listen(7600, "127.0.0.1", () => {
    console.log("http://127.0.0.1:7600/customers")
  })
}

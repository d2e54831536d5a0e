import { startReceiver } from "@sealway/http/testing"
import { eventKey } from "@sealway/records"
import { verifySignature } from "@sealway/webhooks"
import { describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { useService } from "../support/service.ts"

const service = useService()

const MERCHANT = {
  name: "Marker Shop",
  website: "https://marker.example.com",
  categoryCode: "5411",
  business: {
    legalName: "Marker Limited",
    address: { line1: "1 Marker Street", city: "Markertown", postalCode: "M4RK3R", country: "ie" },
  },
  applePay: { domains: ["pay.marker.example.com"] },
}

/** Returns what is stored, as text, whatever its bytes are. */
const textOf = (value: unknown) =>
  JSON.stringify(value, (_, each: unknown) =>
    each instanceof Uint8Array ? Buffer.from(each).toString("latin1") : each,
  )

describe("an event of a merchant", () => {
  test("shows receivers the record as GET returns it, and is shown to nobody else", async () => {
    await using receiver = await startReceiver((_, response) => response.writeHead(200).end())
    const { app, auth } = await service.newApp("sandbox")
    const hook = { url: receiver.url, events: ["payments.merchant.updated"] }
    const { secret } = z
      .object({ secret: z.string() })
      .parse((await service.post("/webhook-endpoints", hook, { auth })).json)
    const listener = await service.post("/webhook-listeners", { events: ["payments.*"] }, { auth })
    const { id: listenerId } = z.object({ id: z.string() }).parse(listener.json)
    const { id } = z
      .object({ id: z.string() })
      .parse((await service.post("/payments/merchants", MERCHANT, { auth })).json)
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1), 10_000)

    const [request] = receiver.received
    const body = Buffer.from(request?.body ?? "")
    const signed = {
      id: String(request?.headers["webhook-id"]),
      timestamp: String(request?.headers["webhook-timestamp"]),
      signature: String(request?.headers["webhook-signature"]),
    }
    expect(verifySignature({ ...signed, body }, [secret], Date.now())).toBe(true)
    const { json: merchant } = await service.get(`/payments/merchants/${id}`, { auth })
    expect(JSON.parse(body.toString())).toEqual({
      id: signed.id,
      type: "payments.merchant.updated",
      data: merchant,
    })
    expect(merchant).toMatchObject({ applePay: { domains: [{ status: "active" }] } })

    const fetched = await service.post(`/webhook-listeners/${listenerId}/fetch`, {}, { auth })
    expect(fetched.json).toMatchObject({ data: [{ id: signed.id, data: merchant }] })

    const { eventsTable } = service.service.platform
    const kept = await eventsTable.get(eventKey(app.id, signed.id))
    expect(kept).toMatchObject({ data: null })
    expect(textOf(kept)).not.toMatch(/mark[e3]r/i)
    const shown = await service.get(`/webhook-events/${signed.id}`, { auth })
    expect(shown.json).toMatchObject({ id: signed.id, data: null, status: "delivered" })
  })
})

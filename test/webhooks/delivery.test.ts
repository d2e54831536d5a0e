import type { LookupFunction } from "node:net"
import { type Answer, type ReceivedRequest, startReceiver } from "@sealway/http/testing"
import { Webhook, WebhookVerificationError } from "standardwebhooks"
import { describe, expect, test, vi } from "vitest"
import { startWorkerService, type WorkerService } from "./worker-service.ts"

const ok: Answer = (_, response) => response.writeHead(200).end()

/** Resolves when an event has been delivered everywhere, or has failed for good. */
const ended = (service: WorkerService, id: string) =>
  vi.waitFor(
    async () => {
      const event = await service.event(id)
      expect(event.status).not.toBe("pending")
      return event
    },
    { timeout: 25_000, interval: 100 },
  )

/** Verifies as a receiver does, with the library that the specification names. */
function verify(secret: string, { headers, body }: ReceivedRequest): unknown {
  const plain = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value]] : [],
  )
  return new Webhook(secret).verify(body, Object.fromEntries(plain))
}

describe("a receiver that does not answer", () => {
  test("holds up no other, however many events there are for it", async () => {
    const held: (() => void)[] = []
    let isHanging = true
    await using hanging = await startReceiver((_, response) => {
      const answer = () => response.writeHead(200).end()
      if (isHanging) held.push(answer)
      else answer()
    })
    await using quick = await startReceiver(ok)
    await using service = await startWorkerService({ totalTimeoutMs: 120_000 })
    for (const { url } of [hanging, quick]) await service.createEndpoint(url)
    const count = 60
    for (let n = 0; n < count; n++) await service.publish({ n })
    await vi.waitFor(() => expect(quick.received).toHaveLength(count), { timeout: 30_000, interval: 100 })
    expect(hanging.received.length).toBeGreaterThan(0)
    expect(hanging.received.length).toBeLessThanOrEqual(20)
    const told = quick.received.map(({ body }) => JSON.parse(body).data.n)
    expect(new Set(told).size).toBe(count)
    // Events that were put back may be tried again before the worker stops, which waits for their answers.
    isHanging = false
    for (const answer of held) answer()
  })
})

describe("an event", () => {
  test("arrives signed, once, however often its message does", async () => {
    await using receiver = await startReceiver(ok)
    await using service = await startWorkerService()
    const { id: endpoint, secret } = await service.createEndpoint(`${receiver.url}hooks?a=b`)
    const data = { text: "é\u{1f600}", nested: [1.5, null, true] }
    const id = await service.publish(data)
    await service.repeatMessages(id)
    await ended(service, id)
    await service.repeatMessages(id)
    await service.isIdle()

    expect(receiver.received).toHaveLength(1)
    const [received] = receiver.received
    if (received === undefined) throw new Error("Nothing was received")
    expect(received).toMatchObject({ method: "POST", path: "/hooks?a=b" })
    expect(received.headers["content-type"]).toBe("application/json")
    expect(received.headers["user-agent"]).toMatch(/^Sealway-Webhooks\/\d+\.\d+\.\d+$/)
    expect(received.headers["content-length"]).toBe(String(received.body.length))
    expect(verify(secret, received)).toEqual({ id, type: "relay.error", data })
    expect(await service.event(id)).toMatchObject({
      deliveries: [{ endpoint, status: "delivered", attempts: 1 }],
    })
  })

  test("is sent 8 times to a receiver that fails in every way, then is a dead letter, and can be replayed", async () => {
    await using elsewhere = await startReceiver(ok)
    const failures: Answer[] = [
      (_, response) => response.writeHead(500).end("error"),
      (_, response) => response.writeHead(307, { location: elsewhere.url }).end(),
      () => undefined,
      (_, __, raw) => raw.socket.destroy(),
      (_, response, raw) =>
        response.writeHead(200, { "content-length": "9" }).write("half", () => raw.socket.destroy()),
      (_, response) => response.writeHead(200).write("never ends"),
      (_, response) => response.writeHead(503, { "retry-after": "1" }).end(Buffer.alloc(1_000_000)),
      (_, response) => response.writeHead(404).end(),
    ]
    const answers = [...failures]
    await using receiver = await startReceiver((request, response, raw) =>
      (answers.shift() ?? ok)(request, response, raw),
    )
    await using service = await startWorkerService()
    const { id: endpoint, secret } = await service.createEndpoint(receiver.url)
    const id = await service.publish({ a: 1 })

    expect(await ended(service, id)).toEqual({
      id,
      status: "failed",
      deliveries: [
        { endpoint, status: "failed", attempts: 8, lastStatusCode: 404, lastFailure: "status-code" },
      ],
    })
    expect(receiver.received).toHaveLength(8)
    for (const received of receiver.received) {
      expect(verify(secret, received)).toEqual({ id, type: "relay.error", data: { a: 1 } })
      expect(received.headers["webhook-id"]).toBe(id)
    }
    expect(elsewhere.received).toEqual([])
    expect(await service.deadLetters()).toEqual([
      expect.objectContaining({ eventId: id, endpointId: endpoint }),
    ])

    await service.replay(id)
    expect(await ended(service, id)).toMatchObject({ status: "delivered", deliveries: [{ attempts: 1 }] })
    expect(receiver.received).toHaveLength(9)
    expect(receiver.received.at(-1)?.headers["webhook-id"]).toBe(id)
  })

  test("is delivered when the receiver accepts it and answers more than is read", async () => {
    await using receiver = await startReceiver((_, response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      }
      response.on("drain", more)
      more()
    })
    await using service = await startWorkerService()
    await service.createEndpoint(receiver.url)
    const id = await service.publish({})
    expect(await ended(service, id)).toMatchObject({ status: "delivered", deliveries: [{ attempts: 1 }] })
  })

  test("reaches one receiver while another stalls", async () => {
    await using stalling = await startReceiver(() => undefined)
    await using quick = await startReceiver(ok)
    await using service = await startWorkerService()
    await service.createEndpoint(stalling.url)
    const { id: endpoint } = await service.createEndpoint(quick.url)
    const id = await service.publish({})
    await vi.waitFor(async () => {
      const { deliveries } = await service.event(id)
      expect(deliveries).toContainEqual(expect.objectContaining({ endpoint, status: "delivered" }))
      expect(deliveries).toContainEqual(expect.objectContaining({ status: "pending" }))
    }, 10_000)
  })
})

describe("after the secret was rotated", () => {
  test("both secrets sign while they overlap, and only the newest does without an overlap", async () => {
    await using receiver = await startReceiver(ok)
    await using service = await startWorkerService()
    const { id: endpoint, secret: first } = await service.createEndpoint(receiver.url)
    const sendOne = async () => {
      const id = await service.publish({})
      await ended(service, id)
      const received = receiver.received.find(({ headers }) => headers["webhook-id"] === id)
      if (received === undefined) throw new Error("Nothing was received")
      return received
    }
    const second = await service.rotateSecret(endpoint, 60)
    const overlapping = await sendOne()
    expect(overlapping.headers["webhook-signature"]).toMatch(/^v1,[A-Za-z0-9+/=]{44} v1,[A-Za-z0-9+/=]{44}$/)
    for (const secret of [first, second]) expect(verify(secret, overlapping)).toMatchObject({ data: {} })

    const third = await service.rotateSecret(endpoint, 0)
    const last = await sendOne()
    expect(verify(third, last)).toMatchObject({ data: {} })
    for (const secret of [first, second]) expect(() => verify(secret, last)).toThrow(WebhookVerificationError)
  })
})

describe("where private destinations are not allowed", () => {
  test("nothing is sent to a name that resolves to one, whatever it resolved to before", async () => {
    await using receiver = await startReceiver(ok)
    const asked: string[] = []
    const lookup: LookupFunction = (hostname, _, callback) => {
      asked.push(hostname)
      callback(null, [{ address: "127.0.0.1", family: 4 }])
    }
    await using service = await startWorkerService({ allowPrivate: false, lookup })
    await service.createEndpoint(`https://rebound.example:${receiver.port}/`)
    const id = await service.publish({})
    await vi.waitFor(async () => {
      expect(await service.event(id)).toMatchObject({
        status: "pending",
        deliveries: [{ lastStatusCode: null, lastFailure: "destination-refused" }],
      })
    }, 10_000)
    expect(asked).toContain("rebound.example")
    expect(receiver.received).toEqual([])
  })

  test("nothing is sent to an address that an endpoint got while they were allowed", async () => {
    await using receiver = await startReceiver(ok)
    await using service = await startWorkerService({ allowPrivate: false })
    await service.createEndpoint(receiver.url)
    const id = await service.publish({})
    await vi.waitFor(async () => {
      expect(await service.event(id)).toMatchObject({ deliveries: [{ lastFailure: "destination-refused" }] })
    }, 10_000)
    expect(receiver.received).toEqual([])
  })
})

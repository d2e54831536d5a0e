import { createPlatform } from "@sealway/http"
import { type Answer, startReceiver } from "@sealway/http/testing"
import { createCloudClients, startEmbeddedCloud, startLocalService } from "@sealway/local"
import { QUEUES, TABLES } from "@sealway/ports"
import { Webhook } from "standardwebhooks"
import { expect, test, vi } from "vitest"
import * as z from "zod"
import { basic } from "../support/service.ts"
import { startReady, withFolder } from "../support/start.ts"

interface Running {
  readonly url: string
  readonly apps: readonly { readonly id: string; readonly apiKey: string }[]
}

const ok: Answer = (_, response) => response.writeHead(200).end()
const endpointSchema = z.object({ id: z.string(), secret: z.string() })
const deliveredSchema = z.object({ data: z.array(z.object({ id: z.string(), status: z.string() })) })

async function call(
  { url, apps: [app] }: Running,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: basic({ user: app?.id ?? "", key: app?.apiKey ?? "" }),
      "content-type": "application/json",
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect(response.ok).toBe(true)
  return response.json()
}

test("delivers, after the next start, what was accepted and not delivered when the service stopped", () =>
  withFolder(async (dataFolder) => {
    await using receiver = await startReceiver(ok)
    const options = { port: 0, dataFolder, hosting: "container" } as const
    const first = await startLocalService(options)
    const { url, credentials } = first
    const running = { url, apps: credentials.apps }
    const body = { url: receiver.url, events: ["relay.error"] }
    const { secret } = endpointSchema.parse(await call(running, "POST", "/webhook-endpoints", body))
    await first.close()

    // Without a worker, as a process leaves it that ends right after it accepted an event.
    const cloud = await startEmbeddedCloud({ dataFolder, tables: TABLES, queues: QUEUES })
    const { configuration, clients } = createCloudClients(cloud)
    const { events } = createPlatform(configuration, clients)
    const appId = credentials.apps[0]?.id ?? ""
    for (const a of [1, 2, 3]) {
      await events.publish({ teamId: credentials.teamId, appId, type: "relay.error", data: { a } })
    }
    await cloud.close()
    expect(receiver.received).toEqual([])

    const second = await startLocalService(options)
    await vi.waitFor(() => expect(receiver.received).toHaveLength(3), 10_000)
    const received = receiver.received.map(({ headers, body: text }) =>
      new Webhook(secret).verify(text, {
        "webhook-id": String(headers["webhook-id"]),
        "webhook-timestamp": String(headers["webhook-timestamp"]),
        "webhook-signature": String(headers["webhook-signature"]),
      }),
    )
    expect(received).toEqual(
      expect.arrayContaining(
        [1, 2, 3].map((a) => expect.objectContaining({ type: "relay.error", data: { a } })),
      ),
    )
    await second.close()

    const third = await startLocalService(options)
    const listed = await call(
      { url: third.url, apps: credentials.apps },
      "GET",
      "/webhook-events?status=delivered",
    )
    expect(deliveredSchema.parse(listed).data).toHaveLength(3)
    await third.close()
    expect(receiver.received).toHaveLength(3)
  }))

test("sends again what was on its way when the process was killed, and logs no secret", () =>
  withFolder(async (folder) => {
    let isStalled = true
    await using receiver = await startReceiver((...exchange) => (isStalled ? undefined : ok(...exchange)))
    const first = await startReady(folder, ["--verbose"])
    const body = { url: `${receiver.url}marker-7f3a`, events: ["audit-log.event"] }
    const { id, secret } = endpointSchema.parse(await call(first.ready, "POST", "/webhook-endpoints", body))
    await call(first.ready, "PATCH", `/webhook-endpoints/${id}`, { description: "marker-7f3a" })
    await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(0), 10_000)
    await first.stop("SIGKILL")
    const count = receiver.received.length

    isStalled = false
    const second = await startReady(folder, ["--verbose"])
    await vi.waitFor(() => expect(receiver.received).toHaveLength(count + 1), 10_000)
    const [before, after] = [receiver.received[0], receiver.received[count]]
    expect(after?.headers["webhook-id"]).toBe(before?.headers["webhook-id"])
    expect(after?.body).toBe(before?.body)
    await second.stop()
    const logged = [first, second].map(({ stdout, stderr }) => stdout() + stderr()).join("")
    expect(["marker-7f3a", secret, "whsec_"].filter((each) => logged.includes(each))).toEqual([])
  }))

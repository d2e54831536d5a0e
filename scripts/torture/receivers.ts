import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as delay } from "node:timers/promises"
import * as z from "zod"
import type { Random } from "./random.ts"

/** How a receiver behaves, by the first segment of its path. `echo` is a relay's destination. */
export const BEHAVIOURS = ["quick", "slow", "hanging", "flaky", "broken"] as const
export type Behaviour = (typeof BEHAVIOURS)[number]

const eventSchema = z.object({ id: z.string(), type: z.string(), data: z.looseObject({}) })

export interface Arrival {
  /** Milliseconds, monotonic. */
  readonly at: number
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Customers' servers, on one port. */
export interface Receivers {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** Returns what was accepted with a 2xx at a path, by event id; the first arrival of each. */
  taken(path: string): ReadonlyMap<string, Arrival>
  /** Counts the requests whose `webhook-id` is not the id of the event in the body. */
  wrongIds(): number
  /** Returns when a webhook came last; milliseconds, monotonic. */
  lastAt(): number
  /** Makes all answer at once from now on, except the broken ones. */
  heal(): void
  close(): Promise<void>
}

export async function startReceivers(random: Random): Promise<Receivers> {
  const byPath = new Map<string, Map<string, Arrival>>()
  let [isHealed, wrongIds, lastAt] = [false, 0, performance.now()]
  const waiting = new Set<ServerResponse>()

  const server = createServer(async (request, response) => {
    try {
      const body = Buffer.concat(await Array.fromAsync<Buffer>(request))
      const { url: path = "", headers } = request
      if (path.startsWith("/echo")) {
        response.writeHead(200, { "content-type": headers["content-type"] ?? "application/json" }).end(body)
        return
      }
      const event = eventSchema.parse(JSON.parse(body.toString()))
      lastAt = performance.now()
      if (headers["webhook-id"] !== event.id) wrongIds++
      const status = await statusOf(path, response)
      if (status === null) return
      if (status === 204) {
        const taken = byPath.get(path) ?? new Map<string, Arrival>()
        byPath.set(path, taken)
        if (!taken.has(event.id)) taken.set(event.id, { at: lastAt, type: event.type, data: event.data })
      }
      response.writeHead(status).end()
    } catch {
      // The service was killed while it sent.
      response.destroy()
    }
  })

  /** Returns null when no answer ever comes. */
  async function statusOf(path: string, response: ServerResponse): Promise<number | null> {
    const behaviour = BEHAVIOURS.find((each) => path.startsWith(`/${each}/`)) ?? "quick"
    if (behaviour === "broken") return 500
    if (isHealed || behaviour === "quick") return 204
    if (behaviour === "flaky") return random.next() < 0.5 ? 204 : 500
    if (behaviour === "slow") {
      await delay(random.between(1_200, 6_000))
      return 204
    }
    waiting.add(response)
    return null
  }

  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken: (path) => byPath.get(path) ?? new Map(),
    wrongIds: () => wrongIds,
    lastAt: () => lastAt,
    heal() {
      isHealed = true
      for (const response of waiting) response.destroy()
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

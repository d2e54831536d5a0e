import { strict as assert } from "node:assert"
import { ASKING } from "@sealway/ports/testing"
import { createWebhookWorker, requeuePending } from "@sealway/webhooks"
import * as z from "zod"
import type { Program } from "../program.ts"
import { createAccount, prepare, sendUntilClear } from "../world/accounts.ts"
import type { World } from "../world/world.ts"

/** Three attempts, a minute apart. */
const SCHEDULE = { waitsMs: [60_000, 60_000], jitter: 0, maxRetryAfterMs: 60_000 }
const HOUR_MS = 3_600_000

const listSchema = z.array(z.object({ id: z.string(), status: z.string() }))
const eventSchema = z.object({ deliveries: z.array(z.object({ status: z.string(), attempts: z.number() })) })

/** @param statusOf what the receiver answers to a request, counted from 1 */
function deliverEvent(name: string, promises: string, statusOf: (request: number) => number): Program {
  return {
    name,
    promises,
    bounds: [{ preemptions: 1, faults: 1 }],
    async prepare(world) {
      const { apiKey } = await createAccount(world.start())
      const body = { url: "https://receiver.example/", events: ["relay.error"] }
      await prepare(world.start(), "create-webhook-endpoint", { apiKey, body })
      return (world) => {
        let posts = 0
        let accepted = 0
        const worker = (world: World) => {
          const process = world.start()
          const post = () =>
            process.reach({ text: "post https://receiver.example/", access: null, faults: ASKING }, () => {
              posts++
              const status = statusOf(posts)
              if (status < 300) accepted++
              return { status, headers: {} }
            })
          return process.worker(
            createWebhookWorker({
              ...process.platform,
              egress: { post },
              schedule: SCHEDULE,
              random: () => 0,
            }),
          )
        }
        const workers = { events: () => worker(world), "slow-events": () => worker(world) }
        return {
          workers,
          actors: {
            async client() {
              const request = { apiKey, idempotencyKey: "key", body: { type: "relay.error" } }
              await sendUntilClear(world, "trigger-webhook-event", request)
            },
          },
          async check() {
            for (let round = 0; round < 3; round++) {
              await world.sleep(HOUR_MS)
              await requeuePending(world.start().platform, { overdueMs: 0 })
              await world.deliverAll(workers)
            }
            const { data } = await prepare(world.start(), "list-webhook-events", { apiKey })
            for (const { id, status } of listSchema.parse(data)) {
              const pathParameters = { webhook_event_id: id }
              const event = await prepare(world.start(), "get-webhook-event", { apiKey, pathParameters })
              const [delivery] = eventSchema.parse(event).deliveries
              if (delivery === undefined) throw new Error(`an event is ${status} without a delivery`)
              assert.ok(
                ["delivered", "failed"].includes(delivery.status),
                `an event is left ${delivery.status}`,
              )
              if (delivery.status === "delivered")
                assert.ok(accepted > 0, "an event is delivered that nobody accepted")
              else {
                assert.equal(accepted, 0, "an event is failed that its receiver accepted")
                assert.ok(
                  posts >= SCHEDULE.waitsMs.length + 1,
                  `an event is failed after ${posts} of 3 attempts reached the network`,
                )
              }
            }
          },
        }
      }
    },
  }
}

export const deliverToFailing = deliverEvent(
  "a worker delivers an event to a receiver that fails",
  "an event is visibly failed after its attempts really reached the network",
  () => 500,
)
export const deliverToSlow = deliverEvent(
  "a worker delivers an event to a receiver that fails once",
  "an event is delivered once its receiver accepts it",
  (request) => (request === 1 ? 500 : 200),
)

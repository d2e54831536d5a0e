import { setTimeout as delay } from "node:timers/promises"
import { sendRequest } from "@sealway/cli/testing"
import { startReceiver } from "@sealway/http/testing"
import { Webhook } from "standardwebhooks"
import { describe, expect, test, vi } from "vitest"
import { useService } from "../support/service.ts"
import { type CliOptions, runAgainst } from "./cli.ts"

const service = useService()
const sealway = (args: readonly string[], options?: CliOptions) => runAgainst(service, args, options)
const secretOf = async () => (await sealway(["webhooks", "listen", "--print-secret"])).stdout.trim()

/** Runs `webhooks listen` until `use` is done, then sends it a terminal's Ctrl-C. */
async function whileListening(
  args: readonly string[],
  use: (trigger: (type: string) => Promise<string>) => Promise<void>,
  options: CliOptions = {},
) {
  const ctrlC = new AbortController()
  const listening = sealway(["webhooks", "listen", ...args], {
    signal: ctrlC.signal,
    sleep: (_, signal) => delay(20, undefined, { signal }),
    ...options,
  })
  const trigger = (type: string) =>
    vi.waitFor(async () => {
      const sent = await sealway(["webhooks", "trigger", type, "-q"])
      expect(sent).toMatchObject({ exitCode: 0 })
      return sent.stdout.trim()
    }, 10_000)
  try {
    await use(trigger)
  } finally {
    ctrlC.abort(130)
  }
  return listening
}

describe("webhooks listen", () => {
  test("posts events to this machine, signed with the printed secret, and reports the result of each", async () => {
    let status = 204
    await using receiver = await startReceiver((_, response) => response.writeHead(status).end())
    const ids: string[] = []
    const args = ["--forward-to", `${receiver.url}hooks`, "--event", "relay.error", "function.run.completed"]
    const listened = await whileListening(args, async (trigger) => {
      ids.push(await trigger("relay.error"))
      await vi.waitFor(() => expect(receiver.received).toHaveLength(1), 10_000)
      status = 500
      ids.push(await trigger("function.run.completed"))
      await vi.waitFor(() => expect(receiver.received).toHaveLength(2), 10_000)
      // The line is printed after the answer, before the next event is fetched.
      await trigger("function.run.completed")
      await vi.waitFor(() => expect(receiver.received).toHaveLength(3), 10_000)
    })
    expect(listened.exitCode).toBe(130)
    expect(
      listened
        .rows()
        .slice(0, 2)
        .map((row) => row.slice(1)),
    ).toEqual([
      ["relay.error", ids[0], "204"],
      ["function.run.completed", ids[1], "500, not retried"],
    ])
    const secret = await secretOf()
    expect(listened.stderr).toContain(secret)
    for (const [index, { path, headers, body }] of receiver.received.slice(0, 2).entries()) {
      expect(path).toBe("/hooks")
      const event = new Webhook(secret).verify(body, headers as Record<string, string>)
      expect(event).toMatchObject({ id: ids[index], data: { test: true } })
    }
  })

  test("says that nothing listens, continues, and shows events as JSON", async () => {
    const closed = await startReceiver((_, response) => response.end())
    await closed[Symbol.asyncDispose]()
    let fetchesAfter = 0
    let wasForwarded = false
    const ids: string[] = []
    const args = ["--forward-to", closed.url, "--event", "relay.error", "--json"]
    const listened = await whileListening(
      args,
      async (trigger) => {
        ids.push(await trigger("relay.error"))
        // It fetches more only after it has reported the event.
        await vi.waitFor(() => expect(fetchesAfter).toBeGreaterThan(0), 10_000)
      },
      {
        fetch(url, init) {
          if (url === closed.url) wasForwarded = true
          else if (wasForwarded) fetchesAfter += 1
          return sendRequest(url, init)
        },
      },
    )
    expect(JSON.parse(listened.stdout)).toEqual({
      id: ids[0],
      type: "relay.error",
      createdAt: expect.any(Number),
      data: expect.objectContaining({ test: true }),
      forwarded: { failure: "refused" },
    })
  })

  test("gives all events to each of several, and leaves no listener behind", async () => {
    await using a = await startReceiver((_, response) => response.end())
    await using b = await startReceiver((_, response) => response.end())
    const ids: string[] = []
    const listen = (url: string, use: (trigger: (type: string) => Promise<string>) => Promise<void>) =>
      whileListening(["--event", "relay.error", "--forward-to", url], use)
    await listen(a.url, async (trigger) => {
      const first = await trigger("relay.error")
      await listen(b.url, async () => {
        // Until the second one listens, too.
        await vi.waitFor(async () => {
          ids.push(await trigger("relay.error"))
          expect(b.received.length).toBeGreaterThan(0)
        }, 10_000)
        const idsOf = ({ received }: typeof a) => received.map(({ headers }) => headers["webhook-id"])
        await vi.waitFor(() => {
          expect(idsOf(a)).toEqual([first, ...ids])
          expect(idsOf(b)).toEqual(ids.slice(-b.received.length))
          expect(idsOf(b).at(-1)).toBe(ids.at(-1))
        }, 10_000)
      })
    })
    expect((await sealway(["webhooks", "trigger", "function.run.completed"])).exitCode).toBe(1)
    expect((await sealway(["webhooks", "trigger", "relay.error"])).exitCode).toBe(1)
  })

  test("ends with status 2 for an invalid address, 3 for a key without the scope, 5 without a service", async () => {
    expect((await sealway(["webhooks", "listen", "--forward-to", "3000"])).exitCode).toBe(2)
    const { key } = await service.newKey(service.sandbox.app, ["webhook:read"])
    expect((await sealway(["webhooks", "listen"], { env: { SEALWAY_API_KEY: key } })).exitCode).toBe(3)
    expect(
      (await sealway(["webhooks", "listen"], { env: { SEALWAY_URL: "http://127.0.0.1:1" } })).exitCode,
    ).toBe(5)
  })
})

test("ends webhooks trigger with status 2 for an unknown type, and names the known ones", async () => {
  const refused = await sealway(["webhooks", "trigger", "nothing"])
  expect(refused.exitCode).toBe(2)
  expect(refused.stderr).toContain("function.run.completed")
})

import { once } from "node:events"
import { createServer } from "node:http"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { useService } from "../support/service.ts"
import { type CliOptions, runAgainst } from "./cli.ts"

const service = useService()
const sealway = (args: readonly string[], options?: CliOptions) => runAgainst(service, args, options)

const receiver = createServer((_request, response) => response.end())
let address = ""
beforeAll(async () => {
  receiver.listen(0, "127.0.0.1")
  await once(receiver, "listening")
  const bound = receiver.address()
  address = `http://127.0.0.1:${typeof bound === "object" ? bound?.port : 0}/hook`
})
afterAll(() => {
  receiver.closeAllConnections()
  receiver.close()
})

async function created(args: readonly string[] = []): Promise<string> {
  const result = await sealway(["webhooks", "create", address, ...args, "--json"])
  expect(result).toMatchObject({ exitCode: 0, stderr: "" })
  return (result.json() as { id: string }).id
}

describe("a webhook endpoint", () => {
  test("shows its secret where it is created and nowhere else", async () => {
    const secret = (await sealway(["webhooks", "create", address, "--event", "audit-log.event", "-q"])).stdout
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/=_-]+\n$/)
    const [listed] = (await sealway(["webhooks", "list"])).rows()
    expect(listed?.slice(1, 4)).toEqual([address, "audit-log.event", "enabled"])
    const got = await sealway(["webhooks", "get", listed?.[0] ?? "", "--json"])
    expect(got.exitCode).toBe(0)
    expect(got.stdout).not.toContain("whsec_")
  })

  test("gets all events unless some are named", async () => {
    const got = await sealway(["webhooks", "get", await created(["--description", "for tests"])])
    expect(Object.fromEntries(got.rows())).toMatchObject({ events: "*", description: "for tests" })
  })

  test("is changed field by field", async () => {
    const id = await created()
    const events = ["audit-log.event", "relay.error"]
    expect((await sealway(["webhooks", "update", id, "--event", ...events, "--disable"])).exitCode).toBe(0)
    const got = await sealway(["webhooks", "get", id, "--json"])
    expect(got.json()).toMatchObject({ url: address, events, status: "disabled" })
    expect((await sealway(["webhooks", "update", id])).exitCode).toBe(2)
  })

  test("gets a new secret, and is gone once deleted", async () => {
    const id = await created()
    const rotated = await sealway(["webhooks", "rotate-secret", id, "--overlap", "1h", "-q"])
    expect(rotated.stdout).toMatch(/^whsec_/)
    expect((await sealway(["webhooks", "delete", id])).exitCode).toBe(0)
    expect((await sealway(["webhooks", "get", id])).exitCode).toBe(4)
  })

  test("is refused at an invalid address, and the place is named", async () => {
    const refused = await sealway(["webhooks", "create", "nowhere"])
    expect(refused.exitCode).toBe(1)
    expect(refused.stderr).toContain("/url")
  })
})

describe("a webhook event", () => {
  test("is listed, shown with its deliveries, and sent again", async () => {
    const endpoint = await created(["--event", "relay.error"])
    const sent = (await sealway(["webhooks", "test", endpoint, "-q"])).stdout.trim()
    await expect
      .poll(async () => (await sealway(["webhooks", "event", sent])).rows()[0]?.[1])
      .toBe("delivered")
    const [row] = (await sealway(["webhooks", "event", sent])).rows()
    expect(row?.slice(0, 3)).toEqual([endpoint, "delivered", "1"])
    expect(row?.[4]).toBe("200")
    const listed = await sealway(["webhooks", "events", "--type", "webhook.test", "-q"])
    expect(listed.stdout).toBe(`${sent}\n`)
    expect((await sealway(["webhooks", "replay", sent, "--endpoint", endpoint, "-q"])).stdout).toBe(
      `${sent}\n`,
    )
  })

  test("ends with status 4 when it does not exist", async () => {
    expect((await sealway(["webhooks", "replay", "webhook_event_00000000000000000000000000"])).exitCode).toBe(
      4,
    )
  })
})

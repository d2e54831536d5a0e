import { startLocalService } from "@sealway/local"
import { expect, onTestFinished, test } from "vitest"

const DAY_SECONDS = 24 * 60 * 60

test("access records of a service with --access-log-days expire after so many days", async () => {
  const service = await startLocalService({
    port: 0,
    dataFolder: null,
    hosting: "container",
    accessLogDays: 30,
  })
  onTestFinished(() => service.close())
  const { platform, credentials, url } = service
  const [app] = credentials.apps
  const call = async (path: string, body: unknown) => {
    const authorization = `Basic ${Buffer.from(`${app?.id}:${app?.apiKey}`).toString("base64")}`
    const headers = { authorization, "content-type": "application/json" }
    const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })
    expect(response.ok).toBe(true)
    return response.json()
  }
  const before = Math.floor(Date.now() / 1000)
  await call("/decrypt", await call("/encrypt", { name: "Ada" }))
  await platform.accessLog.flush()

  const log = `team#${credentials.teamId}#access#${app?.id}`
  const partitions = Array.from({ length: 16 }, (_, shard) => `${log}#${shard}`)
  const lists = await Promise.all(partitions.map((pk) => platform.eventsTable.list(pk, "access#")))
  const [block] = lists.flat()
  expect(lists.flat()).toHaveLength(1)
  expect(Number(block?.expiresAt) - before).toBeGreaterThanOrEqual(30 * DAY_SECONDS)
  expect(Number(block?.expiresAt) - before).toBeLessThan(31 * DAY_SECONDS)
})

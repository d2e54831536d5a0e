import { gzipSync } from "node:zlib"
import { createService } from "@sealway/api"
import { createPlatform } from "@sealway/http"
import { createCloudClients, type EmbeddedCloud, ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import { createApp, createTeam, issueApiKey } from "@sealway/management"
import { type AwsCall, QUEUES, TABLES } from "@sealway/ports"
import { createAccessWriter, SYSTEM } from "@sealway/records"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import * as z from "zod"
import { LAMBDA_CONTEXT, proxyEvent } from "./support/proxy-event.ts"

const MARKER = "leak-marker-7f3a"
const listSchema = z.object({ data: z.array(z.looseObject({ id: z.string() })) })

let cloud: EmbeddedCloud
beforeAll(async () => {
  cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: QUEUES })
  await ensureStageKey(cloud)
})
afterAll(() => cloud.close())

/** The lines of a function's log, which are what its process prints. */
async function printedBy(act: () => Promise<void>): Promise<string[]> {
  const printed: string[] = []
  const write = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    printed.push(String(chunk))
    return true
  })
  try {
    await act()
  } finally {
    write.mockRestore()
  }
  return printed.join("").split("\n").slice(0, -1)
}

test("makes no AWS call for the access record of a decryption in the cloud: the log carries it to the table that is read", async () => {
  const calls: AwsCall[] = []
  const onCall = (call: AwsCall) => calls.push(call)
  const { configuration, clients } = createCloudClients(cloud, {
    accessLog: "log",
    onCall,
    logLevel: "ERROR",
  })
  const platform = createPlatform(configuration, clients)
  const service = createService(platform)
  const team = await createTeam(platform, "Team", SYSTEM)
  const app = await createApp(platform, team.id, { name: "App", environment: "sandbox" }, SYSTEM)
  const wanted = { kind: "sandbox", teamId: team.id, appId: app.id, name: "Key", scopes: ["*"] } as const
  const { key, record: owner } = await issueApiKey(platform, { ...wanted, expiresAt: null }, SYSTEM)
  const call = async (id: string, body: string, headers: Record<string, string> = {}) => {
    const served = service.endpoints.find(({ endpoint }) => endpoint.id === id)
    if (served === undefined) throw new Error(`There is no endpoint ${id}`)
    const { method, path } = served.endpoint
    const request = {
      method,
      path,
      body,
      headers: { "content-type": "application/json", "api-key": key, ...headers },
    }
    const answer = await served.handler(proxyEvent(request), LAMBDA_CONTEXT)
    expect(answer.statusCode, answer.body).toBeLessThan(300)
    return String(answer.body)
  }
  await call("create-data-role", '{"slug":"pci","name":"Cards"}')
  await call("create-data-policy", '{"name":"All","effect":"permit","roles":["pci"],"conditions":{}}')
  const token = await call("encrypt", `"${MARKER}"`, { "x-service-data-role": "pci" })
  const body = JSON.stringify({ [MARKER]: [JSON.parse(token), JSON.parse(token)] })
  await printedBy(async () => void (await call("decrypt", body)))

  calls.length = 0
  const printed = await printedBy(async () => {
    for (let times = 0; times < 3; times++) expect(await call("decrypt", body)).toContain(MARKER)
  })
  expect(calls).toEqual([])
  expect(printed).toHaveLength(3)
  for (const secret of [MARKER, token, key]) expect(printed.join("")).not.toContain(secret)

  const logEvents = printed.map((message, index) => ({ id: String(index), timestamp: 0, message }))
  const batch = JSON.stringify({ messageType: "DATA_MESSAGE", logEvents })
  const event = { awslogs: { data: gzipSync(batch).toString("base64") } }
  const write = createAccessWriter(platform)
  calls.length = 0
  await Promise.all([write(event), write(event)])
  await write(event)
  expect(calls.map(({ operation, resource }) => `${operation}/${resource}`)).toEqual(
    Array(3).fill("PutItem/events"),
  )

  const { data } = listSchema.parse(JSON.parse(await call("list-access-logs", "")))
  expect(data).toHaveLength(3)
  for (const each of data) {
    expect(each).toMatchObject({
      teamId: team.id,
      appId: app.id,
      source: "api",
      actor: { type: "api-key", id: owner.id },
      roles: { pci: 2 },
      withoutRole: 0,
      total: 2,
    })
  }
})

import { answered } from "@sealway/functions/testing"
import { updateApp } from "@sealway/management/testing"
import { SYSTEM } from "@sealway/records"
import { createSealingKey, parseToken } from "@sealway/tokens"
import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"
import { type FunctionService, startFunctionService } from "./function-service.ts"

let service: FunctionService
beforeAll(async () => {
  service = await startFunctionService()
  const { app, platform, team } = service
  await updateApp(platform, team.id, app.id, { sealing: "symmetric" }, SYSTEM)
  await service.deploy("charge")
  await service.settled("charge")
})
afterAll(() => service[Symbol.asyncDispose]())

const encrypt = async (value: string) =>
  String((await service.call("encrypt", { body: JSON.stringify(value) })).json)

async function sealAsClient(value: string): Promise<string> {
  const { json } = await service.call("get-keys")
  const { ecdhP256Key } = z.object({ ecdhP256Key: z.string() }).parse(json)
  const key = createSealingKey({ appPublicKey: Buffer.from(ecdhP256Key, "base64"), debug: true })
  return key.seal("string", value, { role: null, encryptedAt: 1_700_000_000 })
}

test("gives a function the values of an app with symmetric values, its own and those of clients", async () => {
  const given: unknown[] = []
  service.settings.behaviour = ({ payload }) => {
    given.push(payload)
    return answered({ status: "success", result: "done" })
  }
  const [own, clients] = [await encrypt("4242"), await sealAsClient("4000")]
  expect([parseToken(own)?.version, parseToken(clients)?.version]).toEqual([
    "c3cx",
    expect.not.stringMatching("c3cx"),
  ])
  const { status, json } = await service.run("charge", { payload: { own, clients, plain: 1 } })
  expect({ status, json }).toMatchObject({ status: 200, json: { status: "success", result: "done" } })
  expect(given).toEqual([{ own: "4242", clients: "4000", plain: 1 }])
})

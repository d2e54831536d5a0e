import { once } from "node:events"
import { request } from "node:http"
import { request as requestTls } from "node:https"
import { text } from "node:stream/consumers"
import { type EmbeddedCloud, ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import { workerEnvironmentOf } from "@sealway/local/testing"
import {
  parseContainerSettings,
  type RelayContainer,
  startSharedRelayContainer,
} from "@sealway/relay-proxy/testing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type DynaliteTables, startDynalite } from "../support/dynalite.ts"
import { KMS_CREDENTIALS, type KmsServer, serveKms } from "../support/kms-over-keys.ts"

const SECRET = "0123456789abcdef".repeat(4)
const WORKERS = 2

let cloud: EmbeddedCloud
let dynamodb: DynaliteTables
let kms: KmsServer
let container: RelayContainer

beforeAll(async () => {
  cloud = await startEmbeddedCloud({ dataFolder: null, tables: [], queues: [] })
  await ensureStageKey(cloud)
  dynamodb = await startDynalite()
  kms = await serveKms(cloud)
  const environment = {
    ...workerEnvironmentOf(),
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb.endpoint,
    AWS_ENDPOINT_URL_KMS: kms.endpoint,
    ...KMS_CREDENTIALS,
    SEALWAY_RELAY_ORIGIN_SECRET: SECRET,
  }
  container = await startSharedRelayContainer({
    settings: { originSecret: SECRET, originPort: 0, proxyPort: 0, strictProxyPort: 0, healthPort: 0 },
    host: "127.0.0.1",
    lingerMs: 0,
    workers: WORKERS,
    environment,
    log: { error: () => undefined },
  })
})
afterAll(async () => {
  await container.close()
  await Promise.all([dynamodb.close(), kms.close()])
  await cloud.close()
})

async function askOrigin(headers: Record<string, string>) {
  const asked = requestTls({
    host: "127.0.0.1",
    port: container.originPort,
    rejectUnauthorized: false,
    agent: false,
    headers: { host: "origin.relay.example.com", ...headers },
  }).end()
  const [answer] = await once(asked, "response")
  return JSON.parse(await text(answer)).code
}

test("serves the origin by workers to callers that know its secret, and the workers are healthy", async () => {
  const told = { "x-forwarded-host": "none.relay.localhost", "x-relay-target": "/" }
  for (let worker = 0; worker < WORKERS; worker++) {
    expect(await askOrigin(told)).toBe("forbidden")
    expect(await askOrigin({ ...told, "x-relay-origin-secret": SECRET })).not.toBe("forbidden")
  }
  expect((await fetch(`http://127.0.0.1:${container.healthPort}/health`)).status).toBe(200)
})

test("shares one certificate authority among workers of the container", async () => {
  const chains = await Promise.all(
    Array.from({ length: WORKERS }, async () => {
      const asked = request(`http://127.0.0.1:${container.proxyPort}/ca.pem`, { agent: false }).end()
      const [answer] = await once(asked, "response")
      return text(answer)
    }),
  )
  expect(new Set(chains).size).toBe(1)
  expect(chains[0]).toContain("-----BEGIN CERTIFICATE-----")
})

test.each(["0", "x", "257"])("refuses %s workers in the container, and names the variable", (workers) => {
  const environment = { SEALWAY_RELAY_ORIGIN_SECRET: SECRET, SEALWAY_RELAY_WORKERS: workers }
  expect(() => parseContainerSettings(environment)).toThrow(
    /^The configuration is invalid: SEALWAY_RELAY_WORKERS: /,
  )
})

test("starts as many workers as the container is told, or as there are cores", () => {
  const environment = { SEALWAY_RELAY_ORIGIN_SECRET: SECRET }
  expect(parseContainerSettings(environment, 4).workers).toBe(4)
  expect(parseContainerSettings({ ...environment, SEALWAY_RELAY_WORKERS: "1" }, 4).workers).toBe(1)
})

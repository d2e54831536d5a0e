import { TEST_APP as APP } from "@sealway/accounts/testing"
import { createTestKeyring } from "@sealway/keys/testing"
import { RANDOM_DRAWS } from "@sealway/ports"
import { createMemoryTable } from "@sealway/ports/testing"
import { SYSTEM } from "@sealway/records"
import { describe, expect, test } from "vitest"
import type { WebhookDependencies } from "../dependencies.ts"
import { endpointRecords, secretsInForce } from "../records/webhook-endpoint-table.ts"
import { openSecret } from "../signing/secret.ts"
import { addEndpoint, rotateEndpointSecret } from "./webhook-endpoints.ts"

const START_MS = 1_700_000_000_000
const MINUTE_MS = 60_000
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS
const SETTINGS = {
  url: "https://receiver.example/",
  events: ["*"],
  description: null,
  status: "enabled",
} as const

/** Creates an endpoint, and a function that says which of its secrets sign at a time. */
async function setUp() {
  const clock = { ms: START_MS }
  const configTable = createMemoryTable()
  const keyring = createTestKeyring()
  await keyring.addVersion(APP)
  const dependencies: WebhookDependencies = {
    configTable,
    eventsTable: createMemoryTable(),
    keyring,
    draws: RANDOM_DRAWS,
    wallClock: () => clock.ms,
    audit: { record: async () => {}, async *read() {} },
    events: { forget: () => {}, publish: async () => {} },
    queues: { send: async () => {} },
    allowPrivateDestinations: false,
  }
  const { endpoint, secret } = await addEndpoint(dependencies, APP, SETTINGS, SYSTEM)
  const rotate = async (overlapMs: number) =>
    (await rotateEndpointSecret(dependencies, APP, endpoint.id, overlapMs, SYSTEM)).secret
  const signingAt = async (ms: number) => {
    const stored = await endpointRecords.find(configTable, APP.id, { id: endpoint.id })
    if (stored === null) throw new Error("The endpoint is gone")
    return Promise.all(secretsInForce(stored, ms).map((each) => openSecret(keyring, APP, endpoint.id, each)))
  }
  return { clock, first: secret, rotate, signingAt }
}

describe("rotating a secret", () => {
  test("keeps the old one valid until the end of the overlap and not a millisecond longer", async () => {
    const { first, rotate, signingAt } = await setUp()
    const second = await rotate(MINUTE_MS)
    expect(await signingAt(START_MS + MINUTE_MS - 1)).toEqual([second, first])
    expect(await signingAt(START_MS + MINUTE_MS)).toEqual([second])
  })

  test("never prolongs an expiring one, however long the next overlap is", async () => {
    const { clock, first, rotate, signingAt } = await setUp()
    const second = await rotate(MINUTE_MS)
    clock.ms += 10_000
    const third = await rotate(WEEK_MS)
    expect(await signingAt(START_MS + MINUTE_MS - 1)).toEqual([third, second, first])
    expect(await signingAt(START_MS + MINUTE_MS)).toEqual([third, second])
    expect(await signingAt(clock.ms + WEEK_MS)).toEqual([third])
  })

  test("ends an earlier overlap early when the new one is shorter", async () => {
    const { first, rotate, signingAt } = await setUp()
    const second = await rotate(WEEK_MS)
    const third = await rotate(MINUTE_MS)
    expect(await signingAt(START_MS + MINUTE_MS - 1)).toEqual([third, second, first])
    expect(await signingAt(START_MS + MINUTE_MS)).toEqual([third])
  })

  test("without an overlap ends all others immediately", async () => {
    const { rotate, signingAt } = await setUp()
    await rotate(WEEK_MS)
    const third = await rotate(0)
    expect(await signingAt(START_MS)).toEqual([third])
  })

  test("counts only those that still sign towards the limit of five", async () => {
    const { clock, rotate, signingAt } = await setUp()
    for (let count = 0; count < 4; count++) await rotate(MINUTE_MS)
    await expect(rotate(MINUTE_MS)).rejects.toMatchObject({ code: "conflict" })
    clock.ms += MINUTE_MS
    await rotate(MINUTE_MS)
    expect(await signingAt(clock.ms)).toHaveLength(2)
  })
})

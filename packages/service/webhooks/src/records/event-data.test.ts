import { TEST_APP } from "@sealway/accounts/testing"
import { createTestKeyring } from "@sealway/keys/testing"
import { createMemoryTable } from "@sealway/ports/testing"
import { createEvents, sealEventData } from "@sealway/records"
import { expect, test } from "vitest"
import { eventDataOf } from "./event-data.ts"
import { eventRecords } from "./webhook-event-table.ts"

const HOUR_MS = 3_600_000

test("receivers get short-lived data until its time is over, and the rest from then on", async () => {
  let nowMs = 1_700_000_000_000
  const wallClock = () => nowMs
  const table = () => createMemoryTable({ wallClock })
  const [configTable, eventsTable] = [table(), table()]
  const keyring = createTestKeyring()
  await keyring.addVersion(TEST_APP)
  const id = "webhook_event_00000000000000000000000001"
  const events = createEvents({
    configTable,
    eventsTable,
    queues: { send: async () => undefined },
    now: wallClock,
    wallClock,
  })
  await events.publish({
    id,
    teamId: TEST_APP.teamId,
    appId: TEST_APP.id,
    type: "payments.3ds-session.success",
    callbackUrl: "https://hooks.example.com",
    data: await sealEventData(keyring, TEST_APP, id, "{}"),
    brief: {
      data: await sealEventData(keyring, TEST_APP, id, '{"cryptogram":"x"}'),
      untilMs: nowMs + HOUR_MS,
    },
  })
  const told = async () => {
    const event = await eventRecords.find(eventsTable, TEST_APP.id, { id })
    return event && eventDataOf({ keyring, eventsTable }, TEST_APP, event)
  }
  nowMs += HOUR_MS - 1_000
  expect(await told()).toBe('{"cryptogram":"x"}')
  nowMs += 1_000
  expect(await told()).toBe("{}")
})

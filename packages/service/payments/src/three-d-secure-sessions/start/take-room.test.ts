import { TEST_APP } from "@sealway/accounts/testing"
import { createMemoryTable } from "@sealway/ports/testing"
import { expect, test } from "vitest"
import { MAX_SESSIONS, roomKey, takeRoom, WINDOW_MS } from "./take-room.ts"

const NOW_MS = 1_700_000_100_000

test("lets an app start its maximum of sessions, and more after ten minutes", async () => {
  let nowMs = NOW_MS
  const table = createMemoryTable({ wallClock: () => nowMs })
  const start = (app = TEST_APP) => takeRoom(table, app, nowMs)
  await start()
  const full = { attribute: "sessions", amount: MAX_SESSIONS - 2, limit: MAX_SESSIONS, expiresAt: 2e9 }
  await table.add(roomKey(TEST_APP, nowMs), full)
  await start()
  const leftSeconds = (WINDOW_MS - (nowMs % WINDOW_MS)) / 1000
  await expect(start()).rejects.toMatchObject({
    code: "too-many-requests",
    headers: { "retry-after": String(leftSeconds) },
  })
  await start({ ...TEST_APP, id: "app_other" })
  nowMs += leftSeconds * 1000 - 1
  await expect(start()).rejects.toMatchObject({ code: "too-many-requests", headers: { "retry-after": "1" } })
  nowMs += 1
  await start()
})

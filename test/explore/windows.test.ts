import { sweepErasures } from "@sealway/subjects"
import { expect, test } from "vitest"
import { createSubject, opens } from "./programs/erase-and-encrypt.ts"
import { prepare } from "./world/accounts.ts"
import { World } from "./world/world.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** A data subject in a world whose clock stands still between two requests. */
async function subjectWithWindow() {
  const world = new World()
  const { apiKey, token, path } = await createSubject(world.start(), 1)
  const send = (endpointId: string) => world.start().send(endpointId, { apiKey, pathParameters: path })
  return {
    world,
    send,
    opens: () => opens(world, apiKey, token),
    erase: () => prepare(world.start(), "delete-data-subject", { apiKey, pathParameters: path }),
    sweep: () => sweepErasures(world.start().platform),
  }
}

test("an erasure that was undone does not shorten the window of the next one", async () => {
  const { world, send, erase, sweep, opens } = await subjectWithWindow()
  await erase()
  await world.sleep(HOUR_MS)
  expect(await send("restore-data-subject")).toMatchObject({ status: 200 })
  await erase()
  await world.sleep(DAY_MS - HOUR_MS / 2)
  expect(await sweep()).toBe(0)
  expect(await send("restore-data-subject")).toMatchObject({ status: 200 })
  expect(await opens()).toBe(true)
})

test("an erasure cannot be undone from the millisecond in which its window ends, though no sweeper came", async () => {
  const { world, send, erase, sweep, opens } = await subjectWithWindow()
  const { eraseAt } = await erase()
  await world.sleep(Number(eraseAt) - world.nowMs)
  expect(await send("restore-data-subject")).toMatchObject({ status: 409, json: { code: "conflict" } })
  expect(await sweep()).toBe(1)
  expect(await opens()).toBe(false)
})

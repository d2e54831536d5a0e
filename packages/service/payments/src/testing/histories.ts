import fc from "fast-check"
import { expect } from "vitest"
import type { createWorld } from "./world.ts"

type World = Awaited<ReturnType<typeof createWorld>>

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Generates events around a record of any kind. @param workMs how long workers may work at a time */
export const happeningsAround = (...workMs: readonly number[]) =>
  [
    fc.record({ what: fc.constant("work" as const), forMs: fc.constantFrom(...workMs) }),
    fc.record({ what: fc.constant("outage" as const), is: fc.boolean() }),
    fc.record({ what: fc.constant("sweep" as const) }),
    fc.record({ what: fc.constant("lose messages" as const) }),
  ] as const

type Around =
  ReturnType<typeof happeningsAround>[number] extends fc.Arbitrary<infer Happening> ? Happening : never

/** Executes an event. */
export async function letHappen(world: World, happening: Around): Promise<void> {
  if (happening.what === "work") await world.work(happening.forMs)
  else if (happening.what === "outage") world.setUnavailable(happening.is)
  else if (happening.what === "sweep") await world.sweep(30 * MINUTE_MS)
  else world.loseMessages()
}

/** Whether a process dies, by step. */
export const DEATHS = fc.infiniteStream(fc.integer({ min: 0, max: 30 }).map((number) => number === 0))

/** Expects that nothing is left to do, and that repeated events have the same id and content. */
export function expectSettled(world: World): void {
  expect(world.pending()).toEqual([])
  expect(world.messages).toEqual([])
  for (const { id, data } of world.published) {
    expect(world.events().find((event) => event.id === id)?.data).toEqual(data)
  }
}

/** Lets workers finish, over three days and service starts. */
export async function restartDaily(world: World): Promise<void> {
  for (let turns = 0; turns < 3; turns++) {
    await world.restart()
    await world.work(DAY_MS)
  }
}

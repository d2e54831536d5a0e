import { readFileSync } from "node:fs"
import { join } from "node:path"
import {
  type Bounds,
  follow,
  formatDeviations,
  formatSteps,
  parseDeviations,
  type RunOnce,
  searchAll,
  searchAtRandom,
} from "@sealway/ports/testing"
import { describe, expect, test } from "vitest"
import { createRandom } from "../../scripts/torture/random.ts"
import { MUTATIONS } from "./mutations/mutations.ts"
import { load, type Program } from "./program.ts"
import { PROGRAMS } from "./programs/index.ts"
import { rotateKeys } from "./programs/rotate-keys.ts"
import { writes } from "./programs/writes.ts"

/** A part of what `npm run explore` looks at, for a few seconds: one pre-emption, or one of the commonest faults. */
const ONE: readonly Bounds[] = [
  { preemptions: 1, faults: 0 },
  { preemptions: 0, faults: 1, kinds: ["dies", "twice"] },
]
const NEVER = () => false

/** Looks at histories, and expects that none breaks a promise. @returns how many there were */
async function expectKept(program: Program, bounds: readonly Bounds[]): Promise<number> {
  const { failure, histories } = await searchAll(await load(program), bounds, NEVER)
  const told = failure && `${failure.history.violation?.message}\n${formatSteps(failure.history.steps)}`
  expect(told, failure === null ? "" : formatDeviations(failure.deviations)).toBeNull()
  return histories
}

test.each(PROGRAMS.map((program) => [`${program.promises}: when ${program.name}`, program] as const))(
  "%s",
  async (_, program) => {
    expect(await expectKept(program, ONE)).toBeGreaterThan(5)
  },
  60_000,
)

test.each(writes.map((program) => [program.name.replace(/ twice$/, ""), program] as const))(
  "executes %s once, with the same answer, wherever its process dies and whoever repeats it",
  async (_, program) => {
    expect(await expectKept(program, [{ preemptions: 0, faults: 1, kinds: ["dies"] }])).toBeGreaterThan(3)
  },
  60_000,
)

describe("the explorer", () => {
  test.each(MUTATIONS)("can be proven to show that $promise: $file still has the line", ({ file, from }) => {
    expect(readFileSync(join(import.meta.dirname, "../..", file), "utf8").split(from)).toHaveLength(2)
  })

  test("makes the same history twice, from its deviations or from a seed", async () => {
    const run = await load(rotateKeys)
    const written = "6=second,9=second!lost"
    const replays = [await run(follow(parseDeviations(written))), await run(follow(parseDeviations(written)))]
    const [first = "", second] = replays.map(({ steps }) => withoutIds(formatSteps(steps)))
    expect(second).toBe(first)
    expect(first).toContain("its answer is lost")
    const seeded = async () => {
      const random = createRandom(7)
      let histories = 0
      const result = await searchAtRandom(run, random.next, () => histories++ === 5)
      return [result.histories, result.states, [...result.faults]]
    }
    expect(await seeded()).toEqual(await seeded())
  })

  test("refuses a history of another program", async () => {
    const run = await load(rotateKeys)
    await expect(run(follow(parseDeviations("3=sweep")))).rejects.toThrow("Step 3 cannot be sweep")
  })

  test("finds the shortest history that breaks a promise, and prints it", async () => {
    const { failure } = await searchAll(await load(lostUpdate), [{ preemptions: 2, faults: 0 }], NEVER)
    expect(failure?.history.violation?.message).toBe("an update is lost")
    expect([...(failure?.deviations.values() ?? [])]).toEqual(["second"])
    expect(formatSteps(failure?.history.steps ?? [])).toMatch(/\* 1 .* second .* events\.get counter/)
  })

  test("lets time pass only a few times at random while somebody has something to do", async () => {
    const run = await load(waiting)
    let histories = 0
    const passed: number[] = []
    const counted: RunOnce = async (choose) => {
      const history = await run(choose)
      const early = history.steps.filter(({ options, chosen }) => chosen > 0 && options[chosen]?.passesTime)
      passed.push(early.length)
      return history
    }
    await searchAtRandom(counted, createRandom(7).next, () => histories++ === 50)
    // Otherwise hosts would end every request, however often it is repeated.
    expect(Math.max(...passed)).toBeLessThanOrEqual(3)
    expect(Math.max(...passed)).toBeGreaterThan(0)
  })

  test("fails when a program waits for a timer, whose time no history decides", async () => {
    const run = load({
      ...lostUpdate,
      prepare: async () => () => ({
        actors: { waits: () => new Promise((resolve) => setTimeout(resolve, 1)) },
        check: () => undefined,
      }),
    })
    const { violation } = await (await run)(() => 0)
    expect(violation?.message).toContain("must not wait for a timer")
  })
})

/** Two count in a record without a condition. */
const lostUpdate: Program = {
  name: "two count",
  promises: "both are counted",
  prepare: async () => (world) => {
    const count = () => {
      const { platform, run } = world.start()
      return run(async () => {
        const { total = 0 } = (await platform.eventsTable.get(COUNTER)) ?? {}
        await platform.eventsTable.put(COUNTER, { total: Number(total) + 1 })
      })
    }
    return {
      actors: { first: count, second: count },
      async check() {
        const { total } = (await world.start().platform.eventsTable.get(COUNTER)) ?? {}
        if (total !== 2) throw new Error("an update is lost")
      },
    }
  },
}

/** One waits again and again, while another one works. */
const waiting: Program = {
  name: "one waits",
  promises: "nothing",
  prepare: async () => (world) => ({
    actors: {
      async waits() {
        for (let times = 0; times < 20; times++) await world.sleep(61_000)
      },
      works() {
        const { platform, run } = world.start()
        return run(async () => {
          for (let times = 0; times < 20; times++) await platform.eventsTable.put(COUNTER, { total: times })
        })
      },
    },
    check: () => undefined,
  }),
}

const COUNTER = { pk: "counter", sk: "counter" }

const withoutIds = (text: string) => text.replaceAll(/[\w-]{16,}/g, "id").replaceAll(/ +/g, " ")

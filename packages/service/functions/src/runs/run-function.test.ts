import { UNLIMITED } from "@sealway/accounts"
import { TEST_APP as APP } from "@sealway/accounts/testing"
import { UNTRACKED_EFFECT } from "@sealway/http"
import {
  CancelledError,
  KB,
  OverloadedError,
  processTurns,
  RequestTask,
  type TaskMemory,
} from "@sealway/kernel"
import type { Invocation } from "@sealway/ports"
import { describe, expect, test } from "vitest"
import { answered } from "../testing/memory-host.ts"
import { createDeployedWorld, REQUESTER } from "../testing/world.ts"
import { requireServing } from "./call-function.ts"
import { runFunction } from "./run-function.ts"

const NO_LIMIT: TaskMemory = { reserve: () => undefined, take: () => undefined, add: () => undefined }
/** There is no room for anything. */
const FULL: TaskMemory = {
  ...NO_LIMIT,
  take() {
    throw new OverloadedError()
  },
}

/** Runs a function that answers when told to, at most one at a time. */
async function begin(isRepeatable: boolean, memory: TaskMemory = NO_LIMIT) {
  const world = await createDeployedWorld({ runLimits: { perApp: 1, perStage: 1 } })
  const called = Promise.withResolvers<void>()
  const done = Promise.withResolvers<Invocation>()
  world.settings.behaviour = () => {
    called.resolve()
    return done.promise
  }
  const run = async (task = new RequestTask({ turns: processTurns, memory })) => {
    const { dependencies } = world
    const serving = await requireServing(dependencies, APP, "charge")
    const body = Buffer.from('{"payload":{}}')
    const effect = { ...UNTRACKED_EFFECT, isRepeatable }
    return runFunction(dependencies, APP, serving, body, REQUESTER, effect, UNLIMITED, task)
  }
  const task = new RequestTask({ turns: processTurns, memory })
  const first = run(task)
  await called.promise
  const answer = (result: unknown = 1) => done.resolve(answered({ status: "success", result }))
  return { first, task, run, answer }
}

const TOO_MANY = expect.objectContaining({ code: "too-many-requests" })

describe("a run whose client has left", () => {
  test("is waited for no longer, and keeps its slot, because its code goes on", async () => {
    const { first, task, run } = await begin(false)
    const reason = new CancelledError("client")
    task.cancel(reason)
    await expect(first).rejects.toBe(reason)
    await expect(run()).rejects.toEqual(TOO_MANY)
  })

  test("is waited for when the request can be repeated, so that the repetition gets the result", async () => {
    const { first, task, answer } = await begin(true)
    task.cancel(new CancelledError("client"))
    answer()
    expect((await first).outcome).toMatchObject({ status: "success" })
  })
})

test.each([true, false])(
  "a run is waited for no longer than its request may take, whether that can be repeated: %s",
  async (isRepeatable) => {
    const { first, task } = await begin(isRepeatable)
    const reason = new CancelledError("deadline")
    task.cancel(reason)
    await expect(first).rejects.toBe(reason)
  },
)

describe("a result for which there is no memory", () => {
  test("is refused when it is large", async () => {
    const { first, answer } = await begin(false, FULL)
    answer("a".repeat(256 * KB))
    await expect(first).rejects.toThrow(OverloadedError)
  })

  test("is passed on when it is small", async () => {
    const { first, answer } = await begin(false, FULL)
    answer("a".repeat(255 * KB))
    expect((await first).outcome).toMatchObject({ status: "success" })
  })
})

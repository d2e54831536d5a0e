import { strict as assert } from "node:assert"
import { requeueFunctionWork } from "@sealway/functions"
import * as z from "zod"
import type { Program } from "../program.ts"
import { checkAuditLog, createAccount, isDone, prepare, sendUntilClear } from "../world/accounts.ts"
import { publishedEvents } from "../world/events.ts"
import { FUNCTION, runWorker } from "../world/functions.ts"
import type { Answer, World } from "../world/world.ts"

const PATH = { function_name: "charge" }
const listSchema = z.array(z.object({ id: z.string() }))
const HOUR_MS = 3_600_000

/** Lets everything end that a history has left: messages that were lost are sent again, and delivered. */
async function settle(world: World): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await world.sleep(2 * HOUR_MS)
    await requeueFunctionWork(world.start().service.functions, { overdueMs: 0 })
    await world.deliverAll({ "function-runs": () => runWorker(world.start()) })
  }
}

/** Deploys a function, for an app that is told of events. */
async function deploy(world: World) {
  const process = world.start()
  const account = await createAccount(process)
  const { apiKey } = account
  await prepare(process, "create-webhook-endpoint", {
    apiKey,
    body: { url: "https://example.com/", events: ["*"] },
  })
  await prepare(process, "deploy-function", { apiKey, body: FUNCTION })
  await world.deliverAll({ "function-runs": () => runWorker(world.start()) })
  const { status } = await prepare(process, "get-function", { apiKey, pathParameters: PATH })
  assert.equal(status, "ready")
  return account
}

export const runTwice: Program = {
  name: "two run a function with the same key",
  promises: "the function is called once, and whoever gets its result gets the same",
  async prepare(world) {
    const { apiKey, team } = await deploy(world)
    return (world) => {
      const answers: Answer[] = []
      const run = async () => {
        const request = { apiKey, pathParameters: PATH, idempotencyKey: "key", body: { payload: {} } }
        answers.push(await sendUntilClear(world, "run-function", request))
      }
      return {
        actors: { first: run, again: run },
        async check() {
          const calls = [...world.programs.calls.values()].reduce((sum, count) => sum + count, 0)
          assert.ok(calls <= 1, `the function was called ${calls} times`)
          const done = answers.filter((answer) => isDone(answer))
          assert.ok(done.length === 0 || calls === 1, "a result without a call")
          assert.ok(
            new Set(done.map((answer) => answer?.text)).size <= 1,
            "a repeated run is answered otherwise",
          )
          await checkAuditLog(world.start(), team.id)
        },
      }
    }
  },
}

export const runLater: Program = {
  name: "a worker runs a function whose message comes twice",
  promises: "a run has one recorded outcome, which never changes, and is published once",
  bounds: [
    { preemptions: 1, faults: 1 },
    { preemptions: 0, faults: 2 },
  ],
  async prepare(world) {
    const { apiKey } = await deploy(world)
    return (world) => {
      const answers: Answer[] = []
      /** Returns the outcomes of all runs; null for one that has not ended. */
      const outcomes = async () => {
        const process = world.start()
        const { data } = await prepare(process, "list-function-runs", { apiKey, pathParameters: PATH })
        const runs = listSchema.parse(data).map(async ({ id }) => {
          const pathParameters = { ...PATH, run_id: id }
          const found = await prepare(process, "get-function-run", { apiKey, pathParameters })
          return { id, outcome: found.status === "scheduled" ? null : JSON.stringify(found) }
        })
        return Promise.all(runs)
      }
      return {
        actors: {
          async client() {
            const request = { apiKey, pathParameters: PATH, idempotencyKey: "key" }
            const body = { payload: {}, async: true }
            answers.push(await sendUntilClear(world, "run-function", { ...request, body }))
          },
        },
        workers: { "function-runs": () => runWorker(world.start()) },
        async check() {
          const seen = await outcomes()
          await settle(world)
          const ended = await outcomes()
          const isAccepted = answers.some((answer) => isDone(answer))
          assert.ok(
            ended.length <= 1 && (!isAccepted || ended.length === 1),
            `there are ${ended.length} runs`,
          )
          for (const { id, outcome } of ended) {
            assert.ok(outcome?.includes('"success"'), `a run ends as ${outcome}`)
            const before = seen.find((run) => run.id === id)?.outcome ?? null
            if (before !== null) assert.equal(outcome, before, "the outcome of a run has changed")
            const told = publishedEvents(world).filter(({ type }) => type === "function.run.completed")
            assert.equal(told.length, 1, `the end of a run is published ${told.length} times`)
          }
          const pending = [...(world.tables.get("runs")?.keys() ?? [])].filter((key) =>
            key.startsWith("function-pending#"),
          )
          const left = ended.filter(({ id }) => pending.some((key) => key.endsWith(id)))
          assert.deepEqual(left, [], "an ended run is still listed as pending")
        },
      }
    }
  },
}

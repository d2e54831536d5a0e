import { strict as assert } from "node:assert"
import type { Program } from "../program.ts"
import { checkAuditLog, createAccount, isDone, prepare, sendUntilClear } from "../world/accounts.ts"
import { FUNCTION, runWorker } from "../world/functions.ts"
import type { Answer } from "../world/world.ts"

export const deployAndWork: Program = {
  name: "one repeats a deployment of a newer version that a worker has begun with",
  promises:
    "a request that sent a message before it died is completed by its repetition, whatever the worker has changed",
  bounds: [{ preemptions: 1, faults: 1 }],
  async prepare(world) {
    const { apiKey, team } = await createAccount(world.start())
    await prepare(world.start(), "deploy-function", { apiKey, body: FUNCTION })
    await world.deliverAll({ "function-runs": () => runWorker(world.start()) })
    return (world) => {
      const answers: Answer[] = []
      return {
        actors: {
          async client() {
            const request = { apiKey, idempotencyKey: "deploy", body: { ...FUNCTION, timeoutSeconds: 7 } }
            answers.push(await sendUntilClear(world, "deploy-function", request))
          },
        },
        workers: { "function-runs": () => runWorker(world.start()) },
        async check() {
          const [answer = null] = answers
          assert.equal(isDone(answer), true, `a deployment is answered with ${answer?.text}`)
          const pathParameters = { function_name: FUNCTION.name }
          const { status } = await prepare(world.start(), "get-function", { apiKey, pathParameters })
          assert.ok(["ready", "deploying"].includes(String(status)), `a deployed function is ${status}`)
          await checkAuditLog(world.start(), team.id)
        },
      }
    }
  },
}

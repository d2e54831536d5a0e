import { strict as assert } from "node:assert"
import type { Program } from "../program.ts"
import { checkAuditLog, createAccount, prepare } from "../world/accounts.ts"

const ROLE = "pci"
const BUDGET = 2

export const spendBudget: Program = {
  name: "three decrypt with a budget for two",
  promises: "a budget is never exceeded, and what is refused has no access record",
  bounds: [
    { preemptions: 2, faults: 0 },
    { preemptions: 0, faults: 1 },
  ],
  async prepare(world) {
    const process = world.start()
    const { apiKey, team } = await createAccount(process)
    await prepare(process, "create-data-role", { apiKey, body: { slug: ROLE, name: "Cards" } })
    await prepare(process, "create-data-policy", {
      apiKey,
      body: {
        name: "Few",
        effect: "permit",
        roles: [ROLE],
        conditions: { budget: { values: BUDGET, per: "hour" } },
      },
    })
    const headers = { "x-service-data-role": ROLE }
    const sealed = await process.send("encrypt", { apiKey, headers, body: "Ada" })
    const token: unknown = JSON.parse(sealed?.text ?? "")
    return (world) => {
      let opened = 0
      let refused = 0
      const decrypt = async () => {
        const answer = await world.start().send("decrypt", { apiKey, body: token })
        if (answer?.status === 200) opened++
        if (answer?.status === 403) refused++
      }
      return {
        actors: { first: decrypt, second: decrypt, third: decrypt },
        async check() {
          assert.ok(opened <= BUDGET, `${opened} values were decrypted with a budget for ${BUDGET}`)
          const records = world.decryptions.size
          assert.ok(records >= opened, "an answered decryption has no access record")
          assert.ok(records <= 3 - refused, "a refused decryption has an access record")
          await checkAuditLog(world.start(), team.id)
        },
      }
    }
  },
}

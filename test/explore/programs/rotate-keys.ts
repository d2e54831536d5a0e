import { strict as assert } from "node:assert"
import type { Program } from "../program.ts"
import { checkAuditLog, createAccount, isUnclear, sendUntilClear } from "../world/accounts.ts"
import type { Answer } from "../world/world.ts"

export const rotateKeys: Program = {
  name: "two rotate an app's keys",
  promises: "each acknowledged rotation made one version of its own, and what was sealed before still opens",
  async prepare(world) {
    const account = await createAccount(world.start())
    const { app, teamKey, apiKey } = account
    const token = (await world.start().send("encrypt", { apiKey, body: "Ada" }))?.text
    return (world) => {
      const answers: Answer[] = []
      const rotate = (idempotencyKey: string) => async () => {
        const request = { apiKey: teamKey, pathParameters: { app_id: app.id }, idempotencyKey }
        answers.push(await sendUntilClear(world, "rotate-keys", request))
      }
      return {
        actors: { first: rotate("first"), second: rotate("second") },
        async check() {
          const process = world.start()
          const versions = await process.platform.keyring.versions(app)
          const made = answers.flatMap((answer) =>
            answer?.status === 201 ? [Number(answer.json.version)] : [],
          )
          assert.equal(new Set(made).size, made.length, "two rotations were answered with the same version")
          assert.equal(
            versions.length - 1,
            made.length,
            `${versions.length - 1} versions for ${made.length} acknowledged rotations`,
          )
          assert.ok(!answers.some(isUnclear), "a rotation never got an answer")
          const opened = await process.send("decrypt", { apiKey, body: JSON.parse(token ?? "") })
          assert.equal(opened?.text, '"Ada"', "a value does not open any more")
          const actions = await checkAuditLog(process, account.team.id)
          const recorded = actions.filter((action) => action === "app.rotate-keys").length
          assert.ok(recorded >= made.length, "a rotation is not in the audit log")
        },
      }
    }
  },
}

import { strict as assert } from "node:assert"
import type { Program } from "../program.ts"
import { checkAuditLog, createAccount, prepare, sendUntilClear } from "../world/accounts.ts"

/** Within this time, every process refuses a revoked credential. */
const REVOKED_WITHIN_MS = 10_000

export const revokeWhileDecrypting: Program = {
  name: "one revokes an API key that another process decrypts with",
  promises:
    "a revoked key ends within 10 seconds; each answered decryption has a record, and no refused one has",
  async prepare(world) {
    const account = await createAccount(world.start())
    const { app, apiKey, apiKeyId, teamKey } = account
    const token: unknown = JSON.parse(
      (await world.start().send("encrypt", { apiKey, body: "Ada" }))?.text ?? "",
    )
    await prepare(world.start(), "list-api-keys", { apiKey: teamKey, pathParameters: { app_id: app.id } })
    return (world) => {
      let revokedAtMs = Number.POSITIVE_INFINITY
      let answered = 0
      let attempted = 0
      const recorded = world.decryptions.size
      return {
        actors: {
          async decrypt() {
            const process = world.start()
            for (const pauseMs of [0, 4_000, 5_000, 4_000, 8_000]) {
              await world.sleep(pauseMs)
              const begunAtMs = world.nowMs
              attempted++
              const answer = await process.send("decrypt", { apiKey, body: token })
              if (answer?.status !== 200) continue
              answered++
              assert.ok(begunAtMs <= revokedAtMs + REVOKED_WITHIN_MS, "a revoked key still decrypts")
            }
          },
          async revoke() {
            const request = {
              apiKey: teamKey,
              idempotencyKey: "revoke",
              pathParameters: { app_id: app.id, key_id: apiKeyId },
            }
            const answer = await sendUntilClear(world, "revoke-api-key", request)
            if (answer !== null && answer.status < 300) revokedAtMs = world.nowMs
          },
        },
        async check() {
          const records = world.decryptions.size - recorded
          assert.ok(records >= answered, "an answered decryption has no access record")
          assert.ok(records <= attempted, "there are more access records than decryptions")
          await world.sleep(REVOKED_WITHIN_MS)
          const late = await world.start().send("decrypt", { apiKey, body: token })
          if (revokedAtMs < Number.POSITIVE_INFINITY)
            assert.equal(late?.status, 401, "a revoked key decrypts")
          await checkAuditLog(world.start(), account.team.id)
        },
      }
    }
  },
}

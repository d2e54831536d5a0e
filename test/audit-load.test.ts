import { createAuditChainVerifier } from "@sealway/platform/audit-chain"
import { writeAuditLoad } from "@sealway/platform/testing"
import { expect, test } from "vitest"
import { createRandom } from "../scripts/torture/random.ts"

test("hundreds of environments that write to one team's audit log at once are all answered, for three calls of the table a record", async () => {
  const load = { writers: 200, each: 10, perSecond: Number.POSITIVE_INFINITY, random: createRandom(1).next }
  const { refused, callsPerRecord, recordsPerSecond, log } = await writeAuditLoad(load)
  expect(refused).toBe(0)
  expect(callsPerRecord).toBeLessThan(3)
  expect(recordsPerSecond).toBeGreaterThan(800)

  const verifier = createAuditChainVerifier()
  for (const record of log) verifier.add(record)
  expect(verifier.result().state).toBe("intact")
  expect(new Set(log.map(({ target }) => target.id)).size).toBe(load.writers * load.each)
  expect(log).toHaveLength(load.writers * load.each)
})

test("what one environment writes is in the log in its order, whoever wrote the blocks", async () => {
  const load = { writers: 30, each: 10, perSecond: Number.POSITIVE_INFINITY, random: createRandom(2).next }
  const { log } = await writeAuditLoad(load)
  for (let writer = 0; writer < load.writers; writer++) {
    const own = log.filter(({ target }) => target.id.startsWith(`${writer}/`))
    expect(own.map(({ target }) => target.id)).toEqual(
      Array.from({ length: load.each }, (_, index) => `${writer}/${index}`),
    )
  }
})

import { createAuditChainVerifier } from "@sealway/records/audit-chain"
import { MAX_CALL_MS, writeAuditLoad } from "@sealway/records/testing"
import { expect, test } from "vitest"
import { createRandom } from "../scripts/torture/random.ts"

test("hundreds of environments that write to one team's audit log at once are all answered, for three calls of the table a record", async () => {
  const load = { writers: 200, each: 15, perSecond: Number.POSITIVE_INFINITY, random: createRandom(1).next }
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

test("a few environments that write without pause take three calls of the table a record, keep none from its turn, and each finds its records in its order", async () => {
  const load = { writers: 20, each: 300, perSecond: Number.POSITIVE_INFINITY, random: createRandom(1).next }
  const { log, refused, callsPerRecord } = await writeAuditLoad(load)
  expect(refused).toBe(0)
  expect(callsPerRecord).toBeLessThan(3)
  for (let writer = 0; writer < load.writers; writer++) {
    const own = log.filter(({ target }) => target.id.startsWith(`${writer}/`))
    expect(own.map(({ target }) => target.id)).toEqual(
      Array.from({ length: load.each }, (_, index) => `${writer}/${index}`),
    )
  }
})

test("an environment that never stops writing fifty records at once keeps no slower one from a team's audit log", async () => {
  const load = { writers: 1, each: 10, perSecond: 2, flood: 50, random: createRandom(1).next }
  const { refused, log } = await writeAuditLoad(load)
  expect(refused).toBe(0)
  expect(log.filter(({ target }) => target.id.startsWith("0/"))).toHaveLength(load.each)
})

test("an environment whose calls take 30 ms gets its turn beside one that never stops writing", async () => {
  const load = { writers: 1, each: 4, perSecond: 2, flood: 50, pace: 6, random: createRandom(1).next }
  const { refused, log } = await writeAuditLoad(load)
  expect(refused).toBe(0)
  expect(log.filter(({ target }) => target.id.startsWith("0/"))).toHaveLength(load.each)
})

test("an environment that writes a few records alone waits only for its own calls of the table", async () => {
  const load = { writers: 1, each: 20, perSecond: Number.POSITIVE_INFINITY, random: createRandom(1).next }
  const { tookMs } = await writeAuditLoad(load)
  expect(tookMs.at(-1)).toBeLessThanOrEqual(2 * MAX_CALL_MS)
})

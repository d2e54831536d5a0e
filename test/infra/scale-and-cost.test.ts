import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeAll, describe, expect, test } from "vitest"
import { billAt } from "../../scripts/scale-and-cost/bill-table.ts"
import { busyAt, readsPerSecond } from "../../scripts/scale-and-cost/busy-function.ts"
import {
  callsOf,
  countOperations,
  type OperationCounts,
} from "../../scripts/scale-and-cost/count-operations.ts"
import { countRelayed } from "../../scripts/scale-and-cost/count-relayed.ts"
import { usageAt } from "../../scripts/scale-and-cost/load.ts"
import { type Measurements, readMeasured } from "../../scripts/scale-and-cost/measured.ts"
import { OPERATIONS } from "../../scripts/scale-and-cost/operations.ts"
import { fillPage } from "../../scripts/scale-and-cost/page.ts"
import { callsPerRequest, costPerMillion, durationMs } from "../../scripts/scale-and-cost/request-cost.ts"
import { ROOT } from "../support/start.ts"

const PAGE = join(ROOT, "docs", "scale-and-cost.md")

let counted: readonly OperationCounts[] = []
let relayed: OperationCounts
let measured: Measurements
beforeAll(async () => {
  counted = await countOperations()
  relayed = await countRelayed()
  measured = await readMeasured()
})

describe("the page about scale and cost", () => {
  test("says what follows from the AWS calls that requests make now", async () => {
    const page = await readFile(PAGE, "utf8")
    expect(page, "run: node scripts/run.mjs scripts/scale-and-cost.ts").toBe(
      fillPage(page, counted, relayed, measured),
    )
  })

  test("would not say the same if one request made one call more", async () => {
    const page = await readFile(PAGE, "utf8")
    const [first, ...others] = counted
    if (first === undefined) throw new Error("Nothing was counted")
    const worse = { ...first, warm: { ...first.warm, "kms:Decrypt": 1 } }
    expect(fillPage(page, [worse, ...others], relayed, measured)).not.toBe(page)
  })

  test("cannot be filled in without its lines", () => {
    expect(() => fillPage("# Another page", counted, relayed, measured)).toThrow(
      "has no lines <!-- calls -->",
    )
  })
})

describe("the measured calls", () => {
  test("are none for a warm request that reads nothing new", () => {
    const free = [
      "encrypt",
      "encrypt, with a role",
      "decrypt",
      "decrypt, a role with a policy",
      "fingerprint",
    ]
    for (const name of free) expect({ [name]: callsOf(countsOf(name).warm) }).toEqual({ [name]: 0 })
  })

  test("are one KMS call for an app's keys, at first and after 5 minutes, and none in between", () => {
    for (const name of ["encrypt", "decrypt, a policy with a budget"]) {
      const { cold, refreshed, reopened } = countsOf(name)
      expect([cold, refreshed, reopened].map((counts) => callsOf(counts, "kms:"))).toEqual([1, 0, 1])
    }
  })

  test("are none for a warm request through a relay: activity is written together", () => {
    expect(relayed.warm).toEqual({})
    const kms = [relayed.cold, relayed.refreshed, relayed.reopened].map((counts) => callsOf(counts, "kms:"))
    expect(kms).toEqual([1, 0, 1])
  })

  test("are one record in the audit log for each refusal", () => {
    expect(countsOf("decrypt, refused by a policy").warm).toEqual({ "dynamodb:PutItem/audit": 1 })
  })

  test("cover every operation", () => {
    const names = OPERATIONS.map(({ name }) => name)
    expect(counted.map(({ name }) => name)).toEqual(names)
    expect(Object.keys(measured.handlerMs).sort()).toEqual(names.toSorted())
    for (const { endpointId } of OPERATIONS) expect(measured.startMs).toHaveProperty(endpointId)
  })
})

describe("the model", () => {
  const times = { handlerMs: 2, startMs: 100, memoryMb: 1769 }
  const nothing = { cold: {}, warm: {}, refreshed: {}, reopened: {}, noted: {} }

  test("charges whole milliseconds of memory, and what the gateway and the logs take", () => {
    const cost = costPerMillion({ name: "x", ...nothing }, "busy", times)
    // (2 ms of work + 1 ms of the runtime) x 1,769 / 1,024 GB x $0.0000133334, a million times, and $0.20
    expect(cost.lambda).toBeCloseTo(0.2 + 3_000 * (1769 / 1024) * 0.0000133334, 6)
    expect(cost).toMatchObject({ apiGateway: 1, dynamodb: 0, kms: 0 })
    expect(cost.total).toBeCloseTo(cost.apiGateway + cost.lambda + cost.logs, 6)
  })

  test("charges reads, writes and KMS calls by the million", () => {
    const cold = {
      "dynamodb:GetItem/config": 2,
      "dynamodb:Query/config": 1,
      "dynamodb:PutItem/events": 3,
      "kms:Decrypt": 1,
    }
    const cost = costPerMillion({ name: "x", ...nothing, cold }, "cold", times)
    expect(cost.dynamodb).toBeCloseTo(3 * 0.125 + 3 * 0.625, 6)
    expect(cost.kms).toBeCloseTo(3, 6)
  })

  test("takes longer with less than one processor", () => {
    expect(durationMs({}, { ...times, memoryMb: 1769 / 2 })).toBeCloseTo(6, 6)
    expect(durationMs({}, { ...times, memoryMb: 3000 })).toBeCloseTo(3, 6)
  })

  test("spreads what is read every 10 seconds over a thousand busy requests", () => {
    const calls = callsPerRequest({ name: "x", ...nothing, refreshed: { a: 3 }, reopened: { a: 3 } }, "busy")
    expect(calls.a).toBeCloseTo(0.003, 9)
  })

  test("uses ten times of everything that grows at ten times the rate", () => {
    const refreshed = { "dynamodb:GetItem/config": 1, "dynamodb:Query/config": 1 }
    const counts = { name: "x", ...nothing, refreshed, reopened: { ...refreshed, "kms:Decrypt": 1 } }
    const at = (requestsPerSecond: number) =>
      usageAt({ requestsPerSecond, functions: [{ counts, times, share: 1 }], stageRequestsPerSecond: 1 })
    const uses = (requestsPerSecond: number, name: RegExp) =>
      at(requestsPerSecond).find((usage) => name.test(usage.name))?.used ?? 0
    for (const name of [/concurrent/, /KMS, steady/, /reads of the config table/, /one app's records/]) {
      expect(uses(1_000_000, name) / uses(100_000, name)).toBeCloseTo(10, 6)
    }
    // Each of twice as many environments as work reads an app's record and roles every 10 seconds.
    expect(uses(100_000, /one app's records/)).toBeCloseTo((uses(100_000, /concurrent/) * 2 * 2) / 10, 6)
  })

  test("reads the configuration of each active app in each environment, and waits for that", () => {
    const read = { "dynamodb:GetItem/config": 2 }
    const counts = { name: "x", ...nothing, refreshed: read, reopened: read, noted: read }
    const busy = busyAt({ counts, times, share: 1 }, 100)
    // 100 apps, twice in 10 seconds, in one environment: 20 reads a second, of 5 ms each; 3 ms for each of 100 requests.
    expect(busy.environments).toBe(1)
    expect(readsPerSecond(busy)).toBeCloseTo(20, 6)
    expect(busy.atWork).toBeCloseTo(20 * 0.005 + 100 * 0.003, 6)
  })

  test("bills what it says is used", () => {
    const refreshed = { "dynamodb:GetItem/config": 2, "dynamodb:PutItem/events": 1 }
    const counts = { name: "x", ...nothing, refreshed, reopened: { ...refreshed, "kms:Decrypt": 1 } }
    const functions = [{ counts, times, share: 1 }]
    for (const requestsPerSecond of [100, 10_000]) {
      const { dynamodb, kms } = billAt(requestsPerSecond, functions)
      const uses = usageAt({ requestsPerSecond, functions, stageRequestsPerSecond: 1 })
      const monthly = (name: RegExp) => (uses.find((each) => name.test(each.name))?.used ?? 0) * 2.592
      expect(dynamodb).toBeCloseTo(
        monthly(/reads of the config table/) * 0.125 +
          (monthly(/writes to the events table/) + monthly(/^audit log, refusals/)) * 0.625,
        6,
      )
      expect(kms).toBeCloseTo(monthly(/KMS, steady/) * 3, 6)
    }
  })
})

function countsOf(name: string): OperationCounts {
  const found = counted.find((each) => each.name === name)
  if (found === undefined) throw new Error(`${name} was not counted`)
  return found
}

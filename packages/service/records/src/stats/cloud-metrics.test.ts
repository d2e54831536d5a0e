import { afterEach, expect, test, vi } from "vitest"
import * as z from "zod"
import { createCloudMetrics } from "./cloud-metrics.ts"
import { type Change, Figures, prepareChange } from "./figures.ts"

afterEach(() => vi.restoreAllMocks())

const lineSchema = z.looseObject({
  _aws: z.strictObject({
    Timestamp: z.number(),
    CloudWatchMetrics: z.tuple([
      z.strictObject({
        Namespace: z.string(),
        Dimensions: z.array(z.array(z.string())),
        Metrics: z.array(z.strictObject({ Name: z.string(), Unit: z.string() })),
      }),
    ]),
  }),
})

function setUp() {
  const figures = new Figures()
  const tell = createCloudMetrics("ada")
  return {
    count: (change: Change) => figures.add(prepareChange(change)),
    /** Returns the lines of the log. */
    told() {
      const printed: string[] = []
      const write = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
        printed.push(String(chunk))
        return true
      })
      tell(figures)
      write.mockRestore()
      const lines = printed.join("").split("\n").slice(0, -1)
      return lines.map((line) => lineSchema.parse(JSON.parse(line)))
    },
  }
}

test("tells CloudWatch in one line what was counted, under a name of the stage and one dimension", () => {
  const { count, told } = setUp()
  count({ requests: 3, encrypted: 7, refusals: 1, tookMs: { api: 8 } })
  const [line, ...others] = told()
  expect(others).toEqual([])
  expect(line).toMatchObject({ service: "sealway", Requests: 3, ValuesEncrypted: 7, Refusals: 1 })
  // Within 9 %, as all latencies.
  expect(Number(line?.ApiLatency) / 8).toBeCloseTo(1, 0)
  const [directive] = line?._aws.CloudWatchMetrics ?? []
  expect(directive).toEqual({
    Namespace: "Sealway/ada",
    Dimensions: [["service"]],
    Metrics: [
      { Name: "Requests", Unit: "Count" },
      { Name: "ValuesEncrypted", Unit: "Count" },
      { Name: "Refusals", Unit: "Count" },
      { Name: "ApiLatency", Unit: "Milliseconds" },
    ],
  })
})

test("tells nothing twice, and writes no line when nothing was counted", () => {
  const { count, told } = setUp()
  expect(told()).toEqual([])
  count({ decrypted: 5, tookMs: { api: 1, relay: 2 } })
  expect(told()).toMatchObject([{ ValuesDecrypted: 5 }])
  expect(told()).toEqual([])
  count({ decrypted: 2, tookMs: { relay: 300 } })
  const [line] = told()
  expect(line).toMatchObject({ ValuesDecrypted: 2 })
  expect(line).not.toHaveProperty("ApiLatency")
  expect(Number(line?.RelayLatency) / 300).toBeCloseTo(1, 0)
})

test("tells each time, or percentiles of many, fewer than a line may have", () => {
  const { count, told } = setUp()
  for (const api of [1, 1, 100]) count({ tookMs: { api } })
  const timesSchema = z.array(z.number())
  const few = timesSchema.parse(told()[0]?.ApiLatency)
  expect(few.map((time) => Math.round(time))).toEqual([1, 1, expect.closeTo(100, -1)])
  for (let time = 1; time <= 10_000; time++) count({ tookMs: { api: time <= 9_900 ? 10 : 1_000 } })
  const many = timesSchema.parse(told()[0]?.ApiLatency)
  expect(many).toHaveLength(50)
  expect([many[0], many[24], many[48]].map((time) => Number(time) / 10)).toEqual(
    Array.from({ length: 3 }, () => expect.closeTo(1, 0)),
  )
})

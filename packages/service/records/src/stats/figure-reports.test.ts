import { expect, test } from "vitest"
import { addReport, createFigureReports } from "./figure-reports.ts"
import { type Change, GroupedFigures, type Groups, prepareChange } from "./figures.ts"

function setUp() {
  const [worker, parent] = [new GroupedFigures(), new GroupedFigures()]
  const report = createFigureReports(worker)
  return {
    parent,
    count: (change: Change, groups: Groups = {}) => worker.add(prepareChange(change), groups),
    /** As between two processes. */
    pass: () => addReport(parent, JSON.parse(JSON.stringify(report()))),
  }
}

test("reports of a process add up to what it has counted, by group too, and count nothing twice", () => {
  const { parent, count, pass } = setUp()
  pass()
  expect(parent.total.weight).toBe(0)
  count({ relayRequests: 2, refusals: 1, tookMs: { relay: 3 } }, { code: "forbidden" })
  pass()
  pass()
  count({ relayRequests: 5, refusals: 1, tookMs: { relay: 500 } }, { code: "bad-request" })
  count({ refusals: 1 }, { code: "forbidden" })
  pass()
  expect([parent.total.get("relayRequests"), parent.total.get("refusals")]).toEqual([7, 3])
  const codes = [...parent.by("code")].map(([code, each]) => [code, each.get("refusals")])
  expect(codes).toEqual([
    ["forbidden", 2],
    ["bad-request", 1],
  ])
  const times = parent.total.times("relay")
  expect([times?.count, times?.sumMs]).toEqual([2, 503])
  expect((times?.quantile(1) ?? 0) / 500).toBeCloseTo(1, 0)
})

test("reports of several processes are added up", () => {
  const [one, other] = [setUp(), setUp()]
  one.count({ relayRequests: 1, tookMs: { destination: 1 } })
  other.count({ relayRequests: 10, tookMs: { destination: 1 } })
  const sum = new GroupedFigures()
  for (const { pass, parent } of [one, other]) {
    pass()
    sum.merge(parent)
  }
  expect([sum.total.get("relayRequests"), sum.total.times("destination")?.sumMs]).toEqual([11, 2])
})

test.each([null, {}, { total: {}, groups: [] }, { total: { counts: { others: 1 }, times: {} }, groups: [] }])(
  "refuses %j, which is no report",
  (report) => {
    const figures = new GroupedFigures()
    expect(() => addReport(figures, report)).toThrow()
    expect(figures.total.weight).toBe(0)
  },
)

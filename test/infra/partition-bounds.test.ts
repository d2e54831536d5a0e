import { expect, test } from "vitest"
import { findPartitions, partitionsIn } from "../../scripts/scale-and-cost/find-partitions.ts"
import { PARTITIONS } from "../../scripts/scale-and-cost/quotas.ts"
import { ROOT } from "../support/start.ts"

test("each partition key that holds what belongs to one team or app has a known bound, and no other is listed", () => {
  expect([...findPartitions(ROOT)].toSorted()).toEqual(Object.keys(PARTITIONS).toSorted())
})

/** Source text with `@{` for what begins an expression in a template. */
const sourceOf = (text: string) => text.replaceAll("@{", "$" + "{")

test.each([
  ["const keyOf = (appId: string) => ({ pk: `new-list#@{appId}`, sk })", "new-list#{app}"],
  ["partitionOf: ({ teamId }) => `new-list#@{teamId}`,", "new-list#{team}"],
  ["const partition = (appId: string) => `@{PREFIX}@{appId}`", "{}{app}"],
  ["return table.list(`new-list#@{app.id}#all`, PREFIX)", "new-list#{app}#all"],
  ["const first = `@{appPartition(app.id)}#more`", "app#{app}#more"],
  ["const key = { pk: `limits#@{accountId}`, sk: kind }", "limits#{app}"],
])("a key that is made as in %s is found", (source, pattern) => {
  expect(partitionsIn(sourceOf(source))).toContain(pattern)
})

test("a key of one record, and a sort key below another, are not taken for one of a team or app", () => {
  expect(partitionsIn(sourceOf("({ pk: `run-token#@{tokenId}`, sk: `@{time}#@{appId}` })"))).toEqual([])
})

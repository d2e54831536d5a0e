import { expect, test } from "vitest"
import * as z from "zod"
import { issuesWithinUnion } from "./union-issues.ts"

const schema = z.strictObject({
  card: z.union([
    z.string(),
    z.strictObject({ number: z.string(), expiry: z.strictObject({ month: z.string() }) }),
    z.strictObject({ token: z.string() }),
  ]),
})

test.each([
  [{ number: 1, expiry: { month: "1" } }, "card.number"],
  [{ number: "1", expiry: {} }, "card.expiry.month"],
  [{ number: "1" }, "card.expiry"],
  [{ token: 1 }, "card.token"],
  [{ token: "1", other: 1 }, "card"],
  [{}, "card.token"],
])("reports %j by the member of the union that it comes closest to", (card, path) => {
  const issues = schema.safeParse({ card }).error?.issues.flatMap(issuesWithinUnion) ?? []
  expect(issues.map((issue) => issue.path.join("."))).toEqual([path])
})

test("says which types a union accepts", () => {
  const issues = schema.safeParse({ card: 1 }).error?.issues.flatMap(issuesWithinUnion)
  expect(issues).toMatchObject([{ path: ["card"], message: "Invalid input: expected string or object" }])
})

test("says which fields begin the members of a union that are equally close", () => {
  const either = z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.string() })])
  for (const value of [{}, { c: 1 }]) {
    const issues = either.safeParse(value).error?.issues.flatMap(issuesWithinUnion)
    expect(issues).toMatchObject([{ path: [], message: "One of these fields is required: a, b" }])
  }
})

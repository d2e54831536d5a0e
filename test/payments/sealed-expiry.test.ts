import { expect, test } from "vitest"
import * as z from "zod"
import { expectProblem, pointersOf } from "../support/problem.ts"
import { useService } from "../support/service.ts"
import { FRICTIONLESS_NUMBER, THREE_DS_SESSION } from "../support/three-d-secure-requests.ts"

const service = useService()
const cardSchema = z.object({ number: z.string(), expiry: z.object({ month: z.string(), year: z.string() }) })

async function seal(month: string, year: string) {
  const { json } = await service.post("/encrypt", { number: FRICTIONLESS_NUMBER, expiry: { month, year } })
  return cardSchema.parse(json)
}
const begin = (card: object) => service.post("/payments/3ds-sessions", { ...THREE_DS_SESSION, card })

test("an expiry may be the tokens that card fields return", async () => {
  const { status, json } = await begin(await seal("09", "39"))
  expect(status).toBe(201)
  expect(json).toMatchObject({ card: { expiry: { month: "09", year: "39" } } })
})

test.each([
  ["13", "39", "/card/expiry/month"],
  ["9", "39", "/card/expiry/month"],
  ["09", "2039", "/card/expiry/year"],
])("an expiry of sealed %s and %s is refused, naming %s", async (month, year, pointer) => {
  const answer = await begin(await seal(month, year))
  expectProblem(answer, "invalid-request")
  expect(pointersOf(answer)).toEqual([pointer])
})

test("an expiry that is neither digits nor a token is refused before anything is opened", async () => {
  const { number } = await seal("09", "39")
  for (const expiry of [
    { month: "ev", year: "39" },
    { month: "09", year: "2039" },
  ]) {
    expectProblem(await begin({ number, expiry }), "invalid-request")
  }
})

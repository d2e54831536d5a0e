import { expect, test } from "vitest"
import { LargeResults } from "./large-results.ts"

const PLACES = 4

test("large results come in one after another, in their order, and those that give up are passed over", () => {
  const results = new LargeResults()
  const admitted: number[] = []
  const leave = Array.from({ length: PLACES + 3 }, (_, each) => results.enter(() => admitted.push(each)))
  expect(admitted).toEqual([0, 1, 2, 3])
  leave[PLACES]?.()
  leave[2]?.()
  expect(admitted).toEqual([0, 1, 2, 3, 5])
  leave[0]?.()
  expect(admitted).toEqual([0, 1, 2, 3, 5, 6])
})

test("a place is given up once, however often that is said", () => {
  const results = new LargeResults()
  const leave = Array.from({ length: PLACES }, () => results.enter(() => undefined))
  leave[0]?.()
  leave[0]?.()
  const admitted: string[] = []
  for (const name of ["first", "second"]) results.enter(() => admitted.push(name))
  expect(admitted).toEqual(["first"])
})

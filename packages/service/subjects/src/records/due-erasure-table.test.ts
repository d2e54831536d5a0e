import { createMemoryTable } from "@sealway/ports/testing"
import { expect, test } from "vitest"
import { listDueErasures, noteErasure, removeErasure } from "./due-erasure-table.ts"

const due = (eraseAt: number, subjectId: string) => ({
  eraseAt,
  teamId: "team_1",
  appId: "app_1",
  subjectId,
  reference: "name",
})
const idsDue = async (table: ReturnType<typeof createMemoryTable>, nowMs: number) => {
  const found = await Array.fromAsync(listDueErasures(table, nowMs))
  return found.map(({ subjectId }) => subjectId)
}

test("lists the erasures whose time has come, to the millisecond, over any number of pages", async () => {
  const table = createMemoryTable()
  for (let index = 0; index < 250; index++) await noteErasure(table, due(1_000 + index, `subject-${index}`))
  expect(await idsDue(table, 999)).toEqual([])
  expect(await idsDue(table, 1_000)).toEqual(["subject-0"])
  expect((await idsDue(table, 1_249)).length).toBe(250)
  expect((await idsDue(table, 10_000_000_000_000)).length).toBe(250)
})

test("notes an erasure once, and lists it no more when it is removed", async () => {
  const table = createMemoryTable()
  for (let attempt = 0; attempt < 2; attempt++) await noteErasure(table, due(1_000, "subject"))
  expect(await idsDue(table, 1_000)).toEqual(["subject"])
  await removeErasure(table, due(1_000, "subject"))
  expect(await idsDue(table, 1_000)).toEqual([])
})

import { createMemoryTable } from "@sealway/ports/testing"
import { expect, test } from "vitest"
import { writeErasure } from "./ledger.ts"

const APP = "app_1"
const ID = "subject_1"
const begun = (changes: number) => ({ id: ID, changes, requestedAt: 1, eraseAt: 2, erasedAt: null })
const undone = (changes: number) => ({ id: ID, changes, requestedAt: null, eraseAt: null, erasedAt: null })
const erased = (changes: number) => ({ ...begun(changes), erasedAt: 3 })

test("takes an erasure that was begun, undone and begun again, each once and in this order", async () => {
  const table = createMemoryTable()
  expect(await writeErasure(table, APP, begun(1))).toBe(true)
  expect(await writeErasure(table, APP, undone(1))).toBe(false)
  expect(await writeErasure(table, APP, undone(2))).toBe(true)
  expect(await writeErasure(table, APP, begun(1))).toBe(false)
  expect(await writeErasure(table, APP, begun(3))).toBe(true)
})

test("never goes back from a destroyed key, and takes its destruction again", async () => {
  const table = createMemoryTable()
  await writeErasure(table, APP, begun(1))
  expect(await writeErasure(table, APP, erased(1))).toBe(true)
  expect(await writeErasure(table, APP, undone(2))).toBe(false)
  expect(await writeErasure(table, APP, begun(9))).toBe(false)
  expect(await writeErasure(table, APP, erased(1))).toBe(true)
})

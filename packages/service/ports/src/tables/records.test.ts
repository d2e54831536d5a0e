import { describe, expect, test } from "vitest"
import * as z from "zod"
import { createMemoryTable } from "../testing/memory-table.ts"
import { recordsOf } from "./records.ts"

const NOTE = { id: "b", topic: "x", text: "hello", revision: 1 }
const noteSchema = z.object({
  id: z.string(),
  topic: z.string(),
  text: z.string().max(10),
  isRead: z.boolean().default(false),
  revision: z.number(),
})
type Note = z.infer<typeof noteSchema>

const notes = recordsOf<Note, "topic" | "id">({
  prefix: "note#",
  schema: noteSchema,
  nameOf: ({ topic, id }) => `${topic}#${id}`,
})
const note = (changes: Partial<Note> = {}): Note => ({ ...NOTE, isRead: false, ...changes })

describe("records of a kind", () => {
  test("are found by name within their owner only", async () => {
    const table = createMemoryTable()
    expect(await notes.create(table, "app_1", note())).toBe(true)
    expect(await notes.find(table, "app_1", { topic: "x", id: "b" })).toEqual(note())
    expect(await notes.find(table, "app_1", { topic: "y", id: "b" })).toBeNull()
    expect(await notes.find(table, "app_2", { topic: "x", id: "b" })).toBeNull()
    expect([...table.items.keys()]).toEqual(["app#app_1\nnote#x#b"])
  })

  test("never overwrite one another on creation", async () => {
    const table = createMemoryTable()
    await notes.create(table, "app_1", note())
    expect(await notes.create(table, "app_1", note({ text: "other" }))).toBe(false)
    expect(await notes.find(table, "app_1", note())).toEqual(note())
  })

  test("are replaced at the revision that was read, and come back at the next one", async () => {
    const table = createMemoryTable()
    await notes.create(table, "app_1", note())
    const changed = await notes.replace(table, "app_1", note({ text: "changed" }))
    expect(changed).toEqual(note({ text: "changed", revision: 2 }))
    expect(await notes.find(table, "app_1", note())).toEqual(changed)
    expect(await notes.replace(table, "app_1", note({ text: "late" }))).toBeNull()
    expect(await notes.find(table, "app_1", note())).toEqual(changed)
  })

  test("are removed only at the revision that was read", async () => {
    const table = createMemoryTable()
    await notes.create(table, "app_1", note())
    await notes.replace(table, "app_1", note())
    expect(await notes.remove(table, "app_1", note())).toBe(false)
    expect(await notes.remove(table, "app_1", note({ revision: 2 }))).toBe(true)
    expect(table.items.size).toBe(0)
  })

  test("are listed from the last name to the first, also by a prefix of the name", async () => {
    const table = createMemoryTable()
    for (const name of ["xa", "xc", "yb", "xb"]) {
      await notes.create(table, "app_1", note({ topic: name.charAt(0), id: name.charAt(1) }))
    }
    const namesOf = (found: readonly Note[]) => found.map(({ topic, id }) => topic + id)
    expect(namesOf(await notes.list(table, "app_1"))).toEqual(["yb", "xc", "xb", "xa"])
    expect(namesOf(await notes.list(table, "app_1", "x#"))).toEqual(["xc", "xb", "xa"])
    const { data, hasMore } = await notes.page(table, "app_1", { limit: 1, startingAfter: "c" }, "x#")
    expect({ names: namesOf(data), hasMore }).toEqual({ names: ["xb"], hasMore: true })
  })

  test("are written as the schema says, with no other fields and nothing that it could not read", async () => {
    const table = createMemoryTable()
    await notes.create(table, "app_1", Object.assign(note(), { secret: "s" }))
    expect([...table.items.values()][0]).not.toHaveProperty("secret")
    const long = note({ text: "longer than it may be" })
    await expect(notes.create(table, "app_2", long)).rejects.toMatchObject({ name: "ZodError" })
    await expect(notes.replace(table, "app_1", long)).rejects.toMatchObject({ name: "ZodError" })
  })

  test("are read with defaults for newer fields", () => {
    expect(notes.read(NOTE)).toEqual(note())
    expect(() => notes.read({ ...NOTE, text: 1 })).toThrow(expect.objectContaining({ name: "ZodError" }))
  })
})

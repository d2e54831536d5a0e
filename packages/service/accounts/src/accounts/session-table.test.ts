import { createMemoryTable } from "@sealway/ports/testing"
import { expect, test } from "vitest"
import {
  createSessionRecord,
  findSession,
  listSessions,
  MAX_SESSIONS,
  removeSession,
  removeSessions,
  replaceSession,
  type Session,
} from "./session-table.ts"

const MEMBER = "member_1"
const sessionOf = (number: number): Session => ({
  id: `session_${String(number).padStart(3, "0")}`,
  hash: `hash-${number}`,
  memberId: MEMBER,
  teamId: "team_1",
  generation: 1,
  rosterRevision: 1,
  createdAt: number,
  endsAt: 1_000,
  idleUntil: 1_000,
  ip: "1.1.1.1",
  userAgent: "",
  revision: 1,
})
const idsOf = async (table: ReturnType<typeof createMemoryTable>) =>
  (await listSessions(table, MEMBER)).map(({ id }) => id)

test("a member's oldest session ends when there are more than may be, and none for one that was ended before", async () => {
  const table = createMemoryTable()
  for (let number = 0; number < MAX_SESSIONS; number++) await createSessionRecord(table, sessionOf(number))
  expect(await removeSession(table, MEMBER, sessionOf(5).id)).toBe(true)
  await createSessionRecord(table, sessionOf(100))
  expect(await idsOf(table)).toHaveLength(MAX_SESSIONS)
  await createSessionRecord(table, sessionOf(101))
  const left = await idsOf(table)
  expect(left).toHaveLength(MAX_SESSIONS)
  expect(left).not.toContain(sessionOf(0).id)
  expect(left[0]).toBe(sessionOf(101).id)
})

test("a session that has ended by itself takes no place of another", async () => {
  const table = createMemoryTable()
  await createSessionRecord(table, { ...sessionOf(0), endsAt: 2_000 })
  for (let number = 1; number < MAX_SESSIONS; number++) await createSessionRecord(table, sessionOf(number))
  await createSessionRecord(table, { ...sessionOf(1_500), endsAt: 3_000 })
  expect(await idsOf(table)).toContain(sessionOf(0).id)
})

test("a session that is removed is found no more, and its member's others are", async () => {
  const table = createMemoryTable()
  for (const number of [1, 2, 3]) await createSessionRecord(table, sessionOf(number))
  expect(await removeSession(table, MEMBER, sessionOf(2).id)).toBe(true)
  expect(await findSession(table, "hash-2")).toBeNull()
  expect(await idsOf(table)).toEqual([sessionOf(3).id, sessionOf(1).id])
  expect(await removeSession(table, MEMBER, sessionOf(2).id)).toBe(false)
  expect(await removeSession(table, "member_2", sessionOf(1).id)).toBe(false)
  await removeSessions(table, MEMBER)
  expect([await findSession(table, "hash-1"), await findSession(table, "hash-3")]).toEqual([null, null])
  expect(await listSessions(table, "member_2")).toEqual([])
  await removeSessions(table, "member_2")
})

test("a session whose process died before it was created is listed nowhere, and removed like another", async () => {
  const table = createMemoryTable()
  await createSessionRecord(table, sessionOf(1))
  const dying: typeof table.create = async (key, ...item) => {
    if (key.pk.startsWith("session#")) throw new Error("The process has died")
    return table.create(key, ...item)
  }
  await expect(createSessionRecord({ ...table, create: dying }, sessionOf(2))).rejects.toThrow("died")
  expect(await idsOf(table)).toEqual([sessionOf(1).id])
  expect(await removeSession(table, MEMBER, sessionOf(2).id)).toBe(true)
  expect(await removeSession(table, MEMBER, sessionOf(2).id)).toBe(false)
  expect(await idsOf(table)).toEqual([sessionOf(1).id])
})

test("a session that is renewed while it is removed does not come back", async () => {
  const table = createMemoryTable()
  await createSessionRecord(table, sessionOf(1))
  const remove: typeof table.remove = async (...removal) => {
    const found = await findSession(table, "hash-1")
    if (found?.revision === 1) await replaceSession(table, { ...found, idleUntil: 2_000 })
    return table.remove(...removal)
  }
  expect(await removeSession({ ...table, remove }, MEMBER, sessionOf(1).id)).toBe(true)
  expect(await findSession(table, "hash-1")).toBeNull()
})

test("sign-ins of one member at the same time are all listed, and a session that is not listed is never created", async () => {
  const table = createMemoryTable()
  await Promise.all([1, 2, 3].map((number) => createSessionRecord(table, sessionOf(number))))
  expect(await idsOf(table)).toEqual([3, 2, 1].map((number) => sessionOf(number).id))
  const busy = { ...table, replace: async () => false }
  await expect(createSessionRecord(busy, sessionOf(4))).rejects.toThrow("Too many changes")
  expect(await findSession(table, "hash-4")).toBeNull()
})

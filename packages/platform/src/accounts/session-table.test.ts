import { expect, test } from "vitest"
import { createMemoryTable } from "../testing/memory-table.ts"
import {
  createSessionRecord,
  listSessions,
  MAX_SESSIONS,
  removeSession,
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

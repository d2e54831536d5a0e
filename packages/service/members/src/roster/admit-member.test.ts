import { emptyRoster, findRoster, type Invitation, writeRoster } from "@sealway/accounts"
import { createMemoryTable, exploreHistories, SimulatedService } from "@sealway/ports/testing"
import { beforeEach, describe, expect, test } from "vitest"
import { startSession } from "../sessions/start-session.ts"
import { admitMember, type ProvenIdentity } from "./admit-member.ts"
import { saveRoster } from "./change-roster.ts"

const TEAM = "team_0000000000000000"
const CALLER = { ip: "127.0.0.1", requestId: "request-1" }
const NOW_MS = 1_000_000
const ADA: ProvenIdentity = {
  issuer: "https://login.example",
  subject: "ada",
  email: "Ada@Example.com",
  isEmailVerified: true,
  name: "Ada\nLovelace",
}
const INVITATION: Invitation = {
  id: "invitation_0000000000000000",
  email: "ada@example.com",
  role: "developer",
  invitedBy: { type: "team-key", id: "key_0000000000000000" },
  createdAt: 0,
  expiresAt: NOW_MS + 1,
}

function setUp(keysTable = createMemoryTable()) {
  const actions: string[] = []
  let drawn = 0
  const dependencies = {
    keysTable,
    audit: {
      record: async ({ action }: { readonly action: string }) => void actions.push(action),
      async *read() {},
    },
    draws: {
      newId: (prefix: string) => `${prefix}_${String(++drawn).padStart(16, "0")}`,
      randomBytes: (size: number) => Buffer.alloc(size),
    },
    wallClock: () => NOW_MS,
  }
  const admit = (changes: Partial<ProvenIdentity> = {}) =>
    admitMember(dependencies, TEAM, { ...ADA, ...changes }, CALLER)
  const invite = (changes: Partial<Invitation> = {}) =>
    writeRoster(keysTable, { ...emptyRoster(TEAM), invitations: [{ ...INVITATION, ...changes }] })
  return { dependencies, keysTable, actions, admit, invite, roster: () => findRoster(keysTable, TEAM) }
}

let world: ReturnType<typeof setUp>
beforeEach(async () => {
  world = setUp()
  await world.invite()
})

describe("somebody with an open invitation", () => {
  test("becomes a member with its role, and is the same member at the next sign-in", async () => {
    const first = await world.admit()
    expect(first?.member).toMatchObject({ email: "ada@example.com", name: "Ada Lovelace", role: "developer" })
    expect(await world.roster()).toMatchObject({ members: [{ subject: "ada" }], invitations: [] })
    expect((await world.admit())?.member.id).toBe(first?.member.id)
    expect(world.actions).toEqual(["member.create"])
  })

  test.each<[string, Partial<ProvenIdentity>]>([
    ["an address that the provider has not verified", { isEmailVerified: false }],
    ["no address", { email: null }],
    ["another address", { email: "eve@example.com" }],
    ["an address that only looks the same", { email: "аda@example.com" }],
    ["an address with a blank at its end", { email: "ada@example.com " }],
  ])("has no access with %s", async (_, changes) => {
    expect(await world.admit(changes)).toBeNull()
    expect(world.actions).toEqual([])
  })

  test("has no access once it has expired", async () => {
    world = setUp()
    await world.invite({ expiresAt: NOW_MS })
    expect(await world.admit()).toBeNull()
  })

  test.each([1, 2, 5])(
    "becomes one member when %i accounts of the address accept it at once",
    async (count) => {
      const accounts = Array.from({ length: count }, (_, index) =>
        world.admit({ subject: `account ${index}` }),
      )
      const admitted = (await Promise.all(accounts)).filter((admission) => admission !== null)
      expect(admitted).toHaveLength(1)
      expect((await world.roster())?.members).toHaveLength(1)
    },
  )

  test("becomes one member when one account accepts it twice at once", async () => {
    const both = await Promise.all([world.admit(), world.admit()])
    expect(new Set(both.map((admission) => admission?.member.id)).size).toBe(1)
    expect((await world.roster())?.members).toHaveLength(1)
  })
})

describe("a member", () => {
  test("stays the same one when their address changes", async () => {
    const id = (await world.admit())?.member.id
    expect((await world.admit({ email: "new@example.com", isEmailVerified: false }))?.member.id).toBe(id)
  })

  test("is not somebody else who now has their address, nor the same subject at another issuer", async () => {
    await world.admit()
    expect(await world.admit({ subject: "eve" })).toBeNull()
    expect(await world.admit({ issuer: "https://evil.example" })).toBeNull()
  })

  test("who was removed has no access, even with the account that was a member", async () => {
    await world.admit()
    const roster = await world.roster()
    if (roster !== null) await writeRoster(world.keysTable, { ...roster, members: [] })
    expect(await world.admit()).toBeNull()
  })
})

test("a change of the roster that another request has overtaken is refused with conflict, and says to try again", async () => {
  const roster = await world.roster()
  if (roster === null) throw new Error("There is no roster")
  await world.admit()
  const entry = { ...CALLER, actor: { type: "system", id: "sealway" }, teamId: TEAM, appId: null } as const
  const change = { ...entry, action: "member.update", target: { type: "member", id: "member_1" } }
  await expect(saveRoster(world.dependencies, change, roster)).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("Try again"),
  })
})

test("a process that dies at any call of a sign-in leaves one member at most, who can sign in again", async () => {
  const { histories } = await exploreHistories(async (explored) => {
    const simulated = new SimulatedService({ explored })
    const dying = setUp(simulated.createTable("keys"))
    await dying.invite()
    explored.begin()
    await simulated.mortal(async () => {
      const admission = await dying.admit()
      if (admission !== null) await startSession(dying.dependencies, admission, CALLER, "")
    })
    const admission = await dying.admit()
    expect(admission?.member.role).toBe("developer")
    expect((await dying.roster())?.members).toHaveLength(1)
    if (admission !== null) await startSession(dying.dependencies, admission, CALLER, "")
  })
  expect(histories).toBeGreaterThan(5)
})

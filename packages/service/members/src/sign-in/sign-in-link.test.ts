import { findRoster, type Roster, writeRoster } from "@sealway/accounts"
import { createMemoryTable } from "@sealway/ports/testing"
import { beforeEach, describe, expect, test } from "vitest"
import { createSignInLink, requireLinks, signInUrl, useSignInLink } from "./sign-in-link.ts"

const TEAM = "team_0000000000000000"
const AUTHOR = { actor: { type: "team-key", id: "key_1" }, ip: "127.0.0.1", requestId: "request-1" } as const
const MINUTE_MS = 60_000

function setUp() {
  const clock = { ms: 1_700_000_000_500 }
  const audited: unknown[] = []
  let drawn = 0
  const dependencies = {
    keysTable: createMemoryTable(),
    eventsTable: createMemoryTable(),
    audit: { record: async (entry: object) => void audited.push(entry), async *read() {} },
    draws: {
      newId: (prefix: string) => `${prefix}_${String(++drawn).padStart(16, "0")}`,
      randomBytes: (size: number) => Buffer.alloc(size, ++drawn),
    },
    wallClock: () => clock.ms,
  }
  const roster = async (): Promise<Roster> => {
    const found = await findRoster(dependencies.keysTable, TEAM)
    if (found === null) throw new Error("There is no roster")
    return found
  }
  return {
    ...dependencies,
    audited,
    clock,
    roster,
    create: () => createSignInLink(dependencies, TEAM, AUTHOR),
    use: (code: string) => useSignInLink(dependencies, code),
    change: async (change: (roster: Roster) => Roster) =>
      void (await writeRoster(dependencies.keysTable, change(await roster()))),
  }
}

let world: ReturnType<typeof setUp>
beforeEach(() => {
  world = setUp()
})

describe("a sign-in link", () => {
  test("signs the local owner in until the millisecond in which it ends, five minutes later", async () => {
    const [early, late] = [await world.create(), await world.create()]
    expect(early.expiresAt).toBe(world.clock.ms + 5 * MINUTE_MS)
    world.clock.ms = early.expiresAt - 1
    const admission = await world.use(early.code)
    expect(admission).toMatchObject({
      member: { role: "owner", email: null, name: "Local owner", generation: 1 },
      roster: { teamId: TEAM },
    })
    world.clock.ms = late.expiresAt
    expect(await world.use(late.code)).toBeNull()
  })

  test("is used once, also by two at the same time", async () => {
    const { code } = await world.create()
    const both = await Promise.all([world.use(code), world.use(code)])
    expect(both.filter((each) => each !== null)).toHaveLength(1)
    expect(await world.use(code)).toBeNull()
    expect(await world.use("A".repeat(43))).toBeNull()
  })

  test("is stored without its code, until it has ended, also once it is used", async () => {
    const { code, expiresAt } = await world.create()
    const stored = () => [...world.eventsTable.items.values()]
    expect(JSON.stringify(stored())).not.toContain(code)
    for (const use of [false, true]) {
      if (use) await world.use(code)
      expect(stored()).toMatchObject([{ expiresAt: Math.ceil(expiresAt / 1000) }])
    }
    expect(JSON.stringify(world.audited)).not.toContain(code)
  })

  test("is of one owner, who is created with the first", async () => {
    await world.create()
    await world.create()
    const { members } = await world.roster()
    expect(members).toMatchObject([{ issuer: "sealway:local", subject: "owner", role: "owner" }])
    const common = { ...AUTHOR, teamId: TEAM, appId: null }
    const id = members[0]?.id
    const link = (linkId: unknown) => ({
      ...common,
      action: "sign-in-link.create",
      target: { type: "sign-in-link", id: linkId },
      details: { memberId: id },
    })
    expect(world.audited).toEqual([
      {
        ...common,
        action: "member.create",
        target: { type: "member", id },
        details: { email: null, role: "owner" },
      },
      link(expect.stringMatching(/^[\w-]{16}$/)),
      link(expect.stringMatching(/^[\w-]{16}$/)),
    ])
  })

  test("signs nobody in once its owner was removed", async () => {
    const { code } = await world.create()
    await world.change((roster) => ({ ...roster, members: [] }))
    expect(await world.use(code)).toBeNull()
  })

  test("is of a new owner when the local one has another role, who is no member then; others stay", async () => {
    const first = await world.create()
    const before = (await world.roster()).members
    const other = { ...before[0], id: "member_other", issuer: "https://login.example", subject: "owner" }
    await world.change((roster) => ({
      ...roster,
      members: [
        ...roster.members.map((member) => ({ ...member, role: "auditor" as const })),
        ...roster.members.map((member) => ({ ...member, ...other })),
      ],
    }))
    const second = await world.create()
    expect((await world.roster()).members).toMatchObject([
      { id: "member_other", issuer: "https://login.example" },
      { issuer: "sealway:local", role: "owner" },
    ])
    expect(await world.use(first.code)).toBeNull()
    expect((await world.use(second.code))?.member.role).toBe("owner")
  })

  test("has its code behind #, where no server sees it", () => {
    expect(signInUrl("http://localhost:1", "x")).toBe("http://localhost:1/sign-in#code=x")
  })

  test("is refused with forbidden where members sign in with an identity provider", () => {
    const settings = { provider: null, hasDashboard: false }
    expect(() => requireLinks({ ...settings, links: false })).toThrow(
      expect.objectContaining({ code: "forbidden", message: expect.stringContaining("identity provider") }),
    )
    requireLinks({ ...settings, links: true })
  })
})

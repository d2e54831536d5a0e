import { emptyRoster, MEMBER_ROLES, type Member, type Roster } from "@sealway/accounts"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  MAX_INVITATIONS,
  MAX_MEMBERS,
  withInvitation,
  withMember,
  withoutMember,
  withRole,
} from "./roster-rules.ts"

const member = (id: string, role: Member["role"]): Member => ({
  id,
  role,
  email: `${id}@example.com`,
  name: id,
  generation: 1,
  issuer: "https://login.example",
  subject: id,
  createdAt: 0,
})
const invitation = (id: string) => ({
  id,
  email: `${id}@example.com`,
  role: "admin" as const,
  invitedBy: { type: "system" as const, id: "sealway" },
  createdAt: 0,
  expiresAt: 10,
})
const rosterOf = (roles: readonly Member["role"][]): Roster => ({
  ...emptyRoster("team_1"),
  members: roles.map((role, index) => member(`m${index}`, role)),
})
const CONFLICT = { code: "conflict" }

describe("the rules of members", () => {
  test("keep an owner through any changes, once there is one", () => {
    const change = fc.record({ at: fc.nat(4), role: fc.option(fc.constantFrom(...MEMBER_ROLES)) })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        let roster = rosterOf(["owner", "owner", "admin", "developer", "auditor"])
        for (const { at, role } of changes) {
          const target = roster.members[at]
          if (target === undefined) continue
          try {
            roster = role === null ? withoutMember(roster, target) : withRole(roster, target, role)
          } catch (error) {
            expect(error).toMatchObject(CONFLICT)
          }
        }
        expect(roster.members.some(({ role }) => role === "owner")).toBe(true)
      }),
    )
  })

  test("raise the generation with each other role, and only then", () => {
    const roster = rosterOf(["owner", "admin"])
    const [, admin] = roster.members
    if (admin === undefined) throw new Error("There is no admin")
    expect(withRole(roster, admin, "admin")).toEqual(roster)
    expect(withRole(roster, admin, "auditor").members[1]).toMatchObject({ role: "auditor", generation: 2 })
  })

  test("invite nobody who is a member, or is invited already", () => {
    const invited = withInvitation(rosterOf(["owner"]), invitation("new"), 0)
    expect(() => withInvitation(invited, invitation("m0"), 0)).toThrow("belongs to a member")
    expect(() => withInvitation(invited, { ...invitation("new"), id: "other" }, 0)).toThrow("invited already")
  })

  test("let members be changed while there is no owner yet", () => {
    const roster = rosterOf(["admin"])
    const [admin] = roster.members
    if (admin === undefined) throw new Error("There is no admin")
    expect(withRole(roster, admin, "auditor").members[0]?.role).toBe("auditor")
    expect(withoutMember(roster, admin).members).toEqual([])
  })

  test("limit members and open invitations, and make room for expired ones", () => {
    const full = rosterOf(Array.from({ length: MAX_MEMBERS }, () => "owner"))
    expect(() => withMember(full, member("one more", "auditor"))).toThrow(expect.objectContaining(CONFLICT))
    const invitations = Array.from({ length: MAX_INVITATIONS }, (_, index) => invitation(`i${index}`))
    const invited = { ...emptyRoster("team_1"), invitations }
    expect(() => withInvitation(invited, invitation("one-more"), 9)).toThrow(
      expect.objectContaining(CONFLICT),
    )
    expect(withInvitation(invited, invitation("one-more"), 10).invitations).toHaveLength(1)
  })
})

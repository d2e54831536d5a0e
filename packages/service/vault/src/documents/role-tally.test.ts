import type { Decision, RoleRequest } from "@sealway/policies"
import { expect, test } from "vitest"
import { countMasked } from "./decrypted-values.ts"
import { RoleTally } from "./role-tally.ts"

const permit: Decision = {
  decision: "permit",
  reason: "permitted",
  policyIds: [],
  accessLog: "standard",
  budgets: [],
}

const permitAll = async (requests: readonly RoleRequest[]) =>
  new Map(requests.map(({ role }) => [role, permit]))

const honey = (mark: string, role: string | null) => ({ value: null, role, mark })

test("the honey tokens of the role that a request is refused for are named before all others", async () => {
  const tally = new RoleTally<number>()
  for (let place = 0; place < 20; place++) tally.add(honey(`own-${place}`, null), place)
  tally.add(honey("stolen", "pci"), 20)
  const { refused } = await tally.judge(permitAll)
  expect(refused?.place).toBe(20)
  const { role, honeyMarks } = refused?.error("/20") ?? {}
  expect(role).toBe("pci")
  expect(honeyMarks).toHaveLength(21)
  expect(honeyMarks?.slice(0, 2)).toEqual(["stolen", "own-0"])
})

test("the policies of a honey token's role are asked about no values, and told that it is refused", async () => {
  const tally = new RoleTally<number>()
  const asked: RoleRequest[] = []
  tally.add(honey("mark", "pci"), 0)
  const value = { type: "string", value: Buffer.from("x"), role: "pii", encryptedAt: null } as const
  tally.add(value, 1)
  await tally.judge((requests) => {
    asked.push(...requests)
    return permitAll(requests)
  })
  expect(asked).toEqual([
    { role: "pci", values: 0, isRefused: true },
    { role: "pii", values: 0, isRefused: false },
  ])
})

const mask = { type: "last", count: 4, keepLength: false } as const
const maskedOnly = async (requests: readonly RoleRequest[]) =>
  new Map(requests.map(({ role }) => [role, { ...permit, decision: "masked", mask } as const]))

const tallyOf = (...roles: readonly (string | null)[]) => {
  const tally = new RoleTally<number>()
  for (const [place, role] of roles.entries()) tally.add({ value: Buffer.from("x"), role }, place)
  return tally
}

test("a masked decision refuses whoever does not say that he takes masks, and tells of the mask only on request", async () => {
  const unasked = await tallyOf("pci").judge(maskedOnly)
  expect(unasked.refused?.error("/0").code).toBe("decrypt/forbidden")
  const full = await tallyOf("pci").judge(maskedOnly, { reveal: "full" })
  expect(full.refused?.place).toBe(0)
})

test("a masked decision permits whoever takes masks, and names and counts what must be masked", async () => {
  for (const reveal of ["any", "masked"] as const) {
    const judgement = await tallyOf("pci", "pci").judge(maskedOnly, { reveal })
    if (judgement.refused !== null) throw judgement.refused.error("")
    expect([...judgement.masks]).toEqual([["pci", mask]])
    expect([...judgement.values.roles, ...judgement.values.masked]).toEqual([
      ["pci", 2],
      ["pci", 2],
    ])
  }
})

test("whoever takes masks only gets no full value, whatever is decided, and nothing of one without a role", async () => {
  const judgement = await tallyOf("pci").judge(permitAll, { reveal: "masked" })
  expect(judgement.refused?.place).toBe(0)
  const without = await tallyOf(null, null).judge(permitAll, { reveal: "masked" })
  if (without.refused !== null) throw without.refused.error("")
  expect([...without.masks]).toEqual([[null, { type: "fixed", text: "•••" }]])
  expect(countMasked(without.values)).toBe(2)
})

test("a role whose values are taken in full only is not masked, and one beside it is", async () => {
  const takes = { reveal: "any", fullRoles: new Set(["pci"]) } as const
  expect((await tallyOf("pii", "pci").judge(maskedOnly, takes)).refused?.place).toBe(1)
  expect((await tallyOf("pii").judge(maskedOnly, takes)).refused).toBeNull()
})

test("a role of further values is not masked, because they are not there to be masked", async () => {
  const judgement = await tallyOf("pci").judge(maskedOnly, { reveal: "any", otherRoles: ["pci"] })
  expect(judgement.refused?.place).toBe(0)
})

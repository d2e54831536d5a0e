import type { Decision, RoleRequest } from "@sealway/policies"
import { expect, test } from "vitest"
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

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { PolicyState, RoleState } from "./desired-state.ts"
import { planPolicySet, type StoredPolicySet } from "./plan-policy-set.ts"

const PCI: RoleState = { slug: "pci", name: "Cards", description: "", accessLog: "standard", mask: null }
const OFFICE: PolicyState = {
  name: "office",
  effect: "permit",
  roles: ["pci"],
  conditions: { sources: ["api"] },
}

const stored = (roles: readonly RoleState[], policies: readonly PolicyState[]): StoredPolicySet => ({
  roles: roles.map((role) => ({ archived: false, ...role })),
  policies: policies.map((policy) => ({ ...policy, id: `policy_${policy.name}` })),
})
const EMPTY = stored([], [])

const titles = ({ changes }: ReturnType<typeof planPolicySet>) =>
  changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`)

describe("a plan for policies", () => {
  test("creates what does not exist, roles before the policies that name them", () => {
    const plan = planPolicySet({ roles: [PCI], policies: [OFFICE] }, EMPTY, false)
    expect(titles(plan)).toEqual(["create role pci", "create policy office"])
    expect(plan.problems).toEqual([])
  })

  test("is empty when everything matches, for any order of fields and entries", () => {
    const wanted = {
      ...OFFICE,
      roles: ["pci", "phi"],
      conditions: { sources: ["api", "relay"], apiKeys: ["a"] },
    }
    const found = {
      ...wanted,
      roles: ["phi", "pci"],
      conditions: { apiKeys: ["a"], sources: ["relay", "api"] },
      cedar: undefined,
    }
    const phi: RoleState = { ...PCI, slug: "phi", name: "Health" }
    const plan = planPolicySet({ roles: [PCI, phi], policies: [wanted] }, stored([phi, PCI], [found]), true)
    expect(plan).toEqual({ changes: [], unmanaged: [], problems: [] })
  })

  test("updates a role whose access log mode changes", () => {
    const wanted: RoleState = { ...PCI, accessLog: "strict" }
    const { changes } = planPolicySet({ roles: [wanted], policies: [] }, stored([PCI], []), false)
    const fields = [{ field: "accessLog", before: "standard", after: "strict" }]
    expect(changes).toEqual([{ action: "update", kind: "role", name: "pci", after: wanted, fields }])
  })

  test("updates what differs and names each field that does", () => {
    const wanted = {
      ...OFFICE,
      effect: "forbid" as const,
      conditions: { time: { daily: { from: "08:00" } } },
    }
    const found = { ...OFFICE, conditions: { time: { daily: { from: "09:00" }, notBefore: "x" } } }
    const plan = planPolicySet(
      { roles: [{ ...PCI, description: "Card data" }], policies: [wanted] },
      stored([PCI], [found]),
      false,
    )
    expect(plan.changes).toMatchObject([
      { action: "update", kind: "role", fields: [{ field: "description", before: "", after: "Card data" }] },
      {
        action: "update",
        kind: "policy",
        id: "policy_office",
        fields: [
          { field: "conditions.time.daily.from", before: "09:00", after: "08:00" },
          { field: "conditions.time.notBefore", before: "x", after: undefined },
          { field: "effect", before: "permit", after: "forbid" },
        ],
      },
    ])
  })

  test("shows a policy that changes from conditions to cedar as both", () => {
    const { conditions: _conditions, ...rest } = OFFICE
    const plan = planPolicySet(
      { roles: [], policies: [{ ...rest, cedar: "permit (…);" }] },
      stored([PCI], [OFFICE]),
      false,
    )
    expect(plan.changes).toMatchObject([
      {
        fields: [
          { field: "cedar", before: undefined, after: "permit (…);" },
          { field: "conditions", before: { sources: ["api"] }, after: undefined },
        ],
      },
    ])
  })

  test("keeps and reports what no file names, unless it prunes", () => {
    const plan = planPolicySet({ roles: [], policies: [] }, stored([PCI], [OFFICE]), false)
    expect(titles(plan)).toEqual([])
    expect(plan.unmanaged).toEqual([
      { kind: "role", name: "pci" },
      { kind: "policy", name: "office" },
    ])
    const pruned = planPolicySet({ roles: [], policies: [] }, stored([PCI], [OFFICE]), true)
    expect(titles(pruned)).toEqual(["delete policy office", "delete role pci"])
    expect(pruned.unmanaged).toEqual([])
  })

  test("never deletes a role that a policy of the files names", () => {
    const plan = planPolicySet({ roles: [], policies: [OFFICE] }, stored([PCI], [OFFICE]), true)
    expect(titles(plan)).toEqual([])
    expect(plan.unmanaged).toEqual([{ kind: "role", name: "pci" }])
  })

  test("restores an archived role, and keeps archived ones that no file names", () => {
    const archived = { ...PCI, archived: true }
    const plan = planPolicySet({ roles: [PCI], policies: [] }, { roles: [archived], policies: [] }, true)
    expect(plan.changes).toMatchObject([
      { action: "update", kind: "role", fields: [{ field: "archived", before: true, after: false }] },
    ])
    expect(planPolicySet({ roles: [], policies: [] }, { roles: [archived], policies: [] }, true)).toEqual({
      changes: [],
      unmanaged: [],
      problems: [],
    })
  })

  test("narrows access before it widens it", () => {
    const policy = (name: string, effect: PolicyState["effect"]) => ({ ...OFFICE, name, effect })
    const plan = planPolicySet(
      { roles: [PCI], policies: [policy("new-permit", "permit"), policy("new-forbid", "forbid")] },
      stored([PCI], [policy("old-permit", "permit"), policy("old-forbid", "forbid")]),
      true,
    )
    expect(titles(plan)).toEqual([
      "delete policy old-permit",
      "create policy new-forbid",
      "create policy new-permit",
      "delete policy old-forbid",
    ])
  })

  test("cannot be carried out when a policy names an unknown role", () => {
    const plan = planPolicySet({ roles: [], policies: [OFFICE] }, EMPTY, false)
    expect(plan.problems).toEqual([expect.stringContaining('"pci"')])
  })

  test("cannot be carried out when the service has a duplicate name", () => {
    const plan = planPolicySet({ roles: [PCI], policies: [OFFICE] }, stored([PCI], [OFFICE, OFFICE]), false)
    expect(plan.problems).toEqual([expect.stringContaining('"office"')])
  })

  test("leaves nothing to plan once carried out", () => {
    const slug = fc.constantFrom("a", "b", "c")
    const role = fc.record({
      accessLog: fc.constantFrom("standard" as const, "strict" as const),
      mask: fc.constantFrom(
        null,
        { type: "name" } as const,
        { type: "last", count: 4, keepLength: false } as const,
      ),
      slug,
      name: fc.constantFrom("x", "y"),
      description: fc.constant(""),
    })
    const policy = fc.record({
      name: fc.constantFrom("p", "q", "__proto__"),
      effect: fc.constantFrom("permit" as const, "forbid" as const),
      reveal: fc.constantFrom("full" as const, "masked" as const, null),
      roles: fc.uniqueArray(slug, { minLength: 1 }),
      conditions: fc.dictionary(
        fc.constantFrom("k", "__proto__", "constructor"),
        fc.jsonValue({ maxDepth: 2 }),
      ),
    })
    const policySet = fc.record({
      roles: fc.uniqueArray(role, { selector: (each) => each.slug }),
      policies: fc.uniqueArray(policy, { selector: (each) => each.name }),
    })
    fc.assert(
      fc.property(policySet, policySet, (wanted, before) => {
        const roles = new Map<string, RoleState>(before.roles.map((each) => [each.slug, each]))
        const policies = new Map<string, PolicyState>(before.policies.map((each) => [each.name, each]))
        for (const change of planPolicySet(wanted, stored(before.roles, before.policies), true).changes) {
          if (change.action === "delete") (change.kind === "role" ? roles : policies).delete(change.name)
          else if (change.kind === "role") roles.set(change.name, change.after)
          else policies.set(change.name, change.after)
        }
        const after = stored([...roles.values()], [...policies.values()])
        expect(planPolicySet(wanted, after, true).changes).toEqual([])
        expect([...policies.keys()].sort()).toEqual(wanted.policies.map(({ name }) => name).sort())
      }),
    )
  })
})

import { describe, expect, test } from "vitest"
import { policyRecords } from "../records/data-policy-table.ts"
import { roleRecords } from "../records/data-role-table.ts"
import { one, policyOf, roleOf, setUp } from "../testing/data-roles-fixture.ts"
import { contextOf } from "../testing/rules.ts"
import { createDataRoles } from "./data-roles.ts"

describe("budgets", () => {
  const budgetOf = (values: number) => ({ budget: { values, per: "hour" as const } })

  async function withRoles(limits: Readonly<Record<string, readonly (number | null)[]>>) {
    const made = setUp()
    for (const [slug, values] of Object.entries(limits)) {
      await roleRecords.create(made.configTable, one.id, roleOf(slug, { usedAt: 1 }))
      for (const limit of values) {
        const conditions = limit === null ? {} : budgetOf(limit)
        await policyRecords.create(made.configTable, one.id, policyOf([slug], { conditions }))
      }
    }
    const both = async (first: number, second: number) => {
      const requests = [
        { role: "pci", values: first },
        { role: "pii", values: second },
      ]
      const decisions = await made.dataRoles.decide(one, requests, contextOf())
      return [decisions.get("pci")?.reason, decisions.get("pii")?.reason]
    }
    return { ...made, both }
  }

  test("permit while they last, then deny and are named in the decision", async () => {
    const { decide } = await withRoles({ pci: [5] })
    const permitted = await decide("pci", { values: 5 })
    const budgets = [{ policyId: permitted?.policyIds[0], values: 5, per: "hour" }]
    expect(permitted).toMatchObject({ decision: "permit", reason: "permitted", budgets })
    expect(await decide("pci")).toMatchObject({ decision: "deny", reason: "over-budget", budgets })
  })

  test("of full values are not spent by masks, and those of masks only by masks", async () => {
    const { decide, dataRoles, configTable } = await withRoles({})
    const mask = { type: "name" } as const
    await roleRecords.create(configTable, one.id, roleOf("pii", { usedAt: 1, mask }))
    const full = policyOf(["pii"], { conditions: { sources: ["api"], ...budgetOf(1) } })
    const masks = policyOf(["pii"], { reveal: "masked", conditions: { sources: ["relay"], ...budgetOf(1) } })
    for (const policy of [full, masks]) await policyRecords.create(configTable, one.id, policy)
    const ask = async (source: "api" | "relay", reveal: "masked" | "any") => {
      const context = contextOf({ source })
      const decisions = await dataRoles.decide(one, [{ role: "pii", values: 1, reveal }], context)
      const { decision, reason, policyIds } = decisions.get("pii") ?? {}
      return [decision, reason, policyIds?.[0]]
    }
    for (let times = 0; times < 3; times++) {
      expect(await ask("api", "masked")).toEqual(["masked", "permitted", full.id])
    }
    expect(await ask("relay", "any")).toEqual(["masked", "permitted", masks.id])
    expect(await ask("relay", "any")).toEqual(["deny", "over-budget", masks.id])
    expect(await ask("api", "any")).toEqual(["permit", "permitted", full.id])
    expect(await decide("pii")).toMatchObject({ decision: "deny", reason: "over-budget" })
  })

  test("are counted per API key", async () => {
    const { decide } = await withRoles({ pci: [1] })
    expect(await decide("pci", { apiKeyId: "key_a" })).toMatchObject({ decision: "permit" })
    expect(await decide("pci", { apiKeyId: "key_b" })).toMatchObject({ decision: "permit" })
    expect(await decide("pci", { apiKeyId: "key_a" })).toMatchObject({ reason: "over-budget" })
  })

  test("do not matter when a policy without one permits too", async () => {
    const { decide, eventsTable } = await withRoles({ pci: [1, null] })
    for (let times = 0; times < 3; times++) {
      expect(await decide("pci", { values: 2 })).toMatchObject({ decision: "permit", budgets: [] })
    }
    expect(eventsTable.calls).not.toContain("add")
  })

  test("of several policies are spent one after the other", async () => {
    const { decide } = await withRoles({ pci: [1, 2] })
    const decisions = [await decide("pci"), await decide("pci"), await decide("pci"), await decide("pci")]
    expect(decisions.map((each) => each?.reason)).toEqual([
      "permitted",
      "permitted",
      "permitted",
      "over-budget",
    ])
    expect(decisions[3]?.budgets.length).toBe(2)
  })

  test("are not spent when another role of the request is denied", async () => {
    const { both, decide } = await withRoles({ pci: [5], pii: [] })
    expect(await both(5, 1)).toEqual(["permitted", "no-policy-permits"])
    expect(await decide("pci", { values: 5 })).toMatchObject({ decision: "permit" })
  })

  test("are given back when the budget of another role of the request does not suffice", async () => {
    const { both, decide } = await withRoles({ pci: [5], pii: [3] })
    expect(await both(5, 4)).toEqual(["permitted", "over-budget"])
    expect(await decide("pci", { values: 5 })).toMatchObject({ decision: "permit" })
    expect(await decide("pii", { values: 3 })).toMatchObject({ decision: "permit" })
  })

  test("fail the decision when they cannot be counted, and give back what was spent", async () => {
    const { configTable, dependencies, eventsTable } = await withRoles({ pci: [5], pii: [3] })
    const outage = new Error("throttled")
    let fails = true
    const dataRoles = createDataRoles({
      ...dependencies,
      eventsTable: {
        ...eventsTable,
        add: (key, increment) =>
          fails && key.sk.includes("#pii#") ? Promise.reject(outage) : eventsTable.add(key, increment),
      },
    })
    expect(configTable.items.size).toBe(4)
    const ask = (...roles: string[]) =>
      dataRoles.decide(
        one,
        roles.map((role) => ({ role, values: 3 })),
        contextOf(),
      )
    await expect(ask("pci", "pii")).rejects.toBe(outage)
    fails = false
    expect([...(await ask("pci", "pii")).values()].map(({ decision }) => decision)).toEqual([
      "permit",
      "permit",
    ])
  })
})

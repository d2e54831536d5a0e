import * as cedar from "@cedar-policy/cedar-wasm/nodejs"
import { describe, expect, test } from "vitest"
import { policyRecords } from "../records/data-policy-table.ts"
import { findDataRole, roleRecords } from "../records/data-role-table.ts"
import { NOON_MS, one, policyOf, roleOf, setUp, two } from "../testing/data-roles-fixture.ts"
import { contextOf } from "../testing/rules.ts"
import { createDataRoles } from "./data-roles.ts"

describe("a decision", () => {
  test("permits by a policy of the role, and not by one of another role or app", async () => {
    const { configTable, decide } = setUp()
    for (const { id } of [one, two]) {
      await roleRecords.create(configTable, id, roleOf("pci"))
      await roleRecords.create(configTable, id, roleOf("pii"))
    }
    const policy = policyOf(["pci"])
    await policyRecords.create(configTable, one.id, policy)
    expect(await decide("pci")).toEqual({
      decision: "permit",
      reason: "permitted",
      policyIds: [policy.id],
      accessLog: "standard",
      budgets: [],
    })
    expect(await decide("pii")).toMatchObject({ decision: "deny", reason: "no-policy-permits" })
    expect(await decide("pci", {}, two)).toMatchObject({ decision: "deny", reason: "no-policy-permits" })
  })

  test("returns how decryptions of the role's values are recorded, for this app's role", async () => {
    const { configTable, decide } = setUp()
    await roleRecords.create(configTable, one.id, roleOf("pci", { accessLog: "strict" }))
    await roleRecords.create(configTable, two.id, roleOf("pci"))
    await policyRecords.create(configTable, one.id, policyOf(["pci"]))
    await policyRecords.create(configTable, two.id, policyOf(["pci"]))
    expect(await decide("pci")).toMatchObject({ decision: "permit", accessLog: "strict" })
    expect(await decide("pci", {}, two)).toMatchObject({ decision: "permit", accessLog: "standard" })
  })

  test("keeps apps apart whose policies and ids are identical", async () => {
    const { configTable, decide } = setUp()
    const cedarText = 'permit(principal == App::"app_1", action, resource);'
    for (const { id } of [one, two]) {
      await roleRecords.create(configTable, id, roleOf("pci"))
      await policyRecords.create(
        configTable,
        id,
        policyOf(["pci"], { id: "policy_same", conditions: null, cedar: cedarText }),
      )
    }
    expect(await decide("pci")).toMatchObject({ decision: "permit" })
    expect(await decide("pci", {}, two)).toMatchObject({ decision: "deny" })
  })

  test("denies a role that the app does not have, and invalid slugs", async () => {
    const { configTable, decide } = setUp()
    await roleRecords.create(configTable, two.id, roleOf("pci"))
    await policyRecords.create(configTable, two.id, policyOf(["pci"]))
    for (const slug of ["pci", "", "__proto__", "constructor", "role_pci", "PCI", "pci#", "x".repeat(100)]) {
      expect(await decide(slug)).toEqual({
        decision: "deny",
        reason: "unknown-role",
        policyIds: [],
        accessLog: "standard",
        budgets: [],
      })
    }
  })

  test("does not apply the policies of a deleted role to a new one with the same slug", async () => {
    const { configTable, decide, dataRoles } = setUp()
    await roleRecords.create(configTable, one.id, roleOf("pci", { id: "role_first" }))
    await policyRecords.create(
      configTable,
      one.id,
      policyOf([], { roles: [{ id: "role_first", slug: "pci" }] }),
    )
    await roleRecords.remove(configTable, one.id, roleOf("pci"))
    await roleRecords.create(configTable, one.id, roleOf("pci", { id: "role_second" }))
    dataRoles.forget(one.id)
    expect(await decide("pci")).toMatchObject({ decision: "deny", reason: "no-policy-permits" })
  })

  test("still applies the policies of an archived role", async () => {
    const { configTable, decide } = setUp()
    await roleRecords.create(configTable, one.id, roleOf("pci", { archived: true, usedAt: 1 }))
    await policyRecords.create(configTable, one.id, policyOf(["pci"]))
    expect(await decide("pci")).toMatchObject({ decision: "permit" })
  })

  test("fails when a record cannot be read, rather than skip one that might forbid", async () => {
    const { configTable, decide } = setUp()
    await roleRecords.create(configTable, one.id, roleOf("pci"))
    await policyRecords.create(configTable, one.id, policyOf(["pci"]))
    await configTable.put(
      { pk: "app#app_1", sk: "data-policy#policy_x" },
      { id: "policy_x", effect: "forbid" },
    )
    await expect(decide("pci")).rejects.toThrow()
  })

  test("takes effect within 10 seconds of a change, without reads in between", async () => {
    const { configTable, decide, clock } = setUp()
    await roleRecords.create(configTable, one.id, roleOf("pci", { usedAt: 1 }))
    const policy = policyOf(["pci"])
    await policyRecords.create(configTable, one.id, policy)
    expect(await decide("pci")).toMatchObject({ decision: "permit" })
    await policyRecords.remove(configTable, one.id, policy)
    const calls = configTable.calls.length
    clock.monotonicMs += 10_000
    expect(await decide("pci")).toMatchObject({ decision: "permit" })
    expect(configTable.calls.length).toBe(calls)
    clock.monotonicMs += 1
    expect(await decide("pci")).toMatchObject({ decision: "deny" })
  })

  test("loads Cedar once, for the first policy", async () => {
    const { configTable, decide, dataRoles, loads } = setUp()
    await roleRecords.create(configTable, one.id, roleOf("pci"))
    await dataRoles.find(one, "pci")
    await dataRoles.markUsed(one, "pci")
    await decide("pci")
    await decide("unknown")
    expect(loads()).toBe(0)
    await policyRecords.create(configTable, one.id, policyOf(["pci"]))
    dataRoles.forget(one.id)
    await Promise.all([decide("pci"), decide("pci"), decide("pci")])
    expect(loads()).toBe(1)
  })

  test("fails when Cedar cannot be loaded, and loads it the next time", async () => {
    const { configTable, dependencies } = setUp()
    await roleRecords.create(configTable, one.id, roleOf("pci"))
    await policyRecords.create(configTable, one.id, policyOf(["pci"]))
    let fails = true
    const instantiateCedar = () => {
      if (fails) throw new Error("no such file")
      return cedar
    }
    const dataRoles = createDataRoles({ ...dependencies, instantiateCedar })
    const ask = () => dataRoles.decide(one, [{ role: "pci", values: 1 }], contextOf())
    await expect(ask()).rejects.toThrow("no such file")
    fails = false
    expect((await ask()).get("pci")).toMatchObject({ decision: "permit" })
  })
})

describe("a role", () => {
  test("is found by its slug, archived or not, in its own app", async () => {
    const { configTable, dataRoles } = setUp()
    await roleRecords.create(configTable, one.id, roleOf("pci", { archived: true }))
    expect(await dataRoles.find(one, "pci")).toMatchObject({ slug: "pci", archived: true })
    expect(await dataRoles.find(two, "pci")).toBeNull()
    expect(await dataRoles.find(one, "pii")).toBeNull()
  })

  test("is marked as used once, both by sealing and by decryption requests", async () => {
    const { configTable, dataRoles, decide, clock } = setUp()
    await roleRecords.create(configTable, one.id, roleOf("pci"))
    await roleRecords.create(configTable, one.id, roleOf("pii"))
    expect(await Promise.all([dataRoles.markUsed(one, "pci"), dataRoles.markUsed(one, "pci")])).toEqual([
      true,
      true,
    ])
    await decide("pii")
    for (const slug of ["pci", "pii"]) {
      expect(await findDataRole(configTable, one.id, slug)).toMatchObject({ usedAt: NOON_MS, updatedAt: 0 })
    }
    const writes = () => configTable.calls.filter((call) => call === "replace").length
    expect(writes()).toBe(2)
    clock.ms += 60_000
    clock.monotonicMs += 60_000
    await dataRoles.markUsed(one, "pci")
    await decide("pii")
    expect(writes()).toBe(2)
  })

  test("accepts no new values when it is archived, unknown, or removed since it was read", async () => {
    const { configTable, dataRoles } = setUp()
    await roleRecords.create(configTable, one.id, roleOf("old", { archived: true, usedAt: 1 }))
    const [gone, archived] = [roleOf("gone"), roleOf("archived")]
    await roleRecords.create(configTable, one.id, gone)
    await roleRecords.create(configTable, one.id, archived)
    await dataRoles.find(one, "gone")
    await roleRecords.remove(configTable, one.id, gone)
    await roleRecords.replace(configTable, one.id, { ...archived, archived: true })
    for (const slug of ["old", "unknown", "gone", "archived"]) {
      expect({ [slug]: await dataRoles.markUsed(one, slug) }).toEqual({ [slug]: false })
    }
  })

  test("is marked even when others change it at the same time", async () => {
    const { configTable, dependencies } = setUp()
    await roleRecords.create(configTable, one.id, roleOf("pci"))
    let races = 2
    const dataRoles = createDataRoles({
      ...dependencies,
      configTable: {
        ...configTable,
        replace: (...call) => (races-- > 0 ? Promise.resolve(false) : configTable.replace(...call)),
      },
    })
    expect(await dataRoles.markUsed(one, "pci")).toBe(true)
    races = Number.POSITIVE_INFINITY
    await roleRecords.create(configTable, one.id, roleOf("pii"))
    dataRoles.forget(one.id)
    await expect(dataRoles.markUsed(one, "pii")).rejects.toMatchObject({ code: "service-unavailable" })
  })
})

test("records decisions for simulations, without waiting, as policies decide before budgets", async () => {
  const { configTable, eventsTable, decide, dataRoles } = setUp()
  await roleRecords.create(configTable, one.id, roleOf("pci"))
  await policyRecords.create(
    configTable,
    one.id,
    policyOf(["pci"], { conditions: { budget: { values: 1, per: "day" } } }),
  )
  await decide("pci")
  await decide("pci")
  await decide("unknown")
  expect(eventsTable.calls).not.toContain("put")
  await dataRoles.flush()
  const recorded = [...eventsTable.items.values()].flatMap(({ records }) =>
    records === undefined ? [] : [String(records)],
  )
  expect(recorded.map((text) => JSON.parse(text))).toEqual([
    [{ role: "pci", context: contextOf(), minuteMs: NOON_MS, decision: "permit", count: 2 }],
  ])
})

test("counts refusals by role, those of names that are no roles together: anyone can write one into a token", async () => {
  const { configTable, dependencies } = setUp()
  await roleRecords.create(configTable, one.id, roleOf("pci"))
  const counted: unknown[] = []
  const stats = { countGroup: (...given: readonly unknown[]) => void counted.push(given) }
  const dataRoles = createDataRoles({ ...dependencies, stats })
  for (const role of ["pci", "made-up", "made-up-too"])
    await dataRoles.decide(one, [{ role, values: 1 }], contextOf())
  expect(counted).toEqual(["pci", "*", "*"].map((role) => [one.id, "role", role, { refusals: 1 }]))
})

test("counts a permitted role as refused when its request is refused for it all the same", async () => {
  const { configTable, dependencies } = setUp()
  for (const slug of ["pci", "pii"]) await roleRecords.create(configTable, one.id, roleOf(slug))
  await policyRecords.create(configTable, one.id, policyOf(["pci", "pii"]))
  const counted: unknown[] = []
  const stats = { countGroup: (...given: readonly unknown[]) => void counted.push(given) }
  const requests = [
    { role: "pci", values: 0, isRefused: true },
    { role: "pii", values: 0, isRefused: false },
  ]
  const decisions = await createDataRoles({ ...dependencies, stats }).decide(one, requests, contextOf())
  expect([...decisions.values()]).toMatchObject([{ decision: "permit" }, { decision: "permit" }])
  expect(counted).toEqual([[one.id, "role", "pci", { refusals: 1 }]])
})

import { describe, expect, test } from "vitest"
import * as z from "zod"
import { newSlug } from "../support/policies.ts"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"

const service = useService()

const relaySchema = z.object({ warnings: z.array(z.object({ code: z.string() })) })
const problemSchema = z.object({ fields: z.array(z.object({ pointer: z.string(), reason: z.string() })) })

let hosts = 0
const newHost = () => `api-${++hosts}.destination.example`

const selection = (selector: string, changes: object = {}) => ({ type: "json", selector, ...changes })
const routeOf = (...selections: object[]) => ({ path: "/**", request: [{ action: "encrypt", selections }] })

async function create(settings: object) {
  const answer = await service.post("/relays", { destinationDomain: newHost(), ...settings })
  expect(answer.status, answer.text).toBe(201)
  return relaySchema.parse(answer.json)
}

const fieldsOf = (json: unknown) => problemSchema.parse(json).fields

describe("routes", () => {
  test.each([
    ["$.a[", "json", "/selector"],
    ["a.b", "json", "/selector"],
    ["$.a b", "xml", "/selector"],
    ["Content-Length", "header", "/selector"],
    ["Transfer-Encoding", "header", "/selector"],
    ["x-service-api-key", "header", "/selector"],
    ["no header", "header", "/selector"],
    ["a\u0000b", "form", "/selector"],
  ])("refuses the selector %j of type %s with its place", async (selector, type, member) => {
    const good = selection("$.good")
    const routes = [routeOf(good), routeOf(good, { type, selector })]
    const answer = await service.post("/relays", { destinationDomain: newHost(), routes })
    expectProblem(answer, "invalid-request")
    const [field, ...others] = fieldsOf(answer.json)
    expect(others).toEqual([])
    expect(field?.pointer).toBe(`/routes/1/request/0/selections/1${member}`)
    expect(field?.reason).toMatch(/.+\.$/)
  })

  test("reports where a selector becomes invalid, and what to write", async () => {
    const routes = [routeOf(selection("$.a["), selection("card.number"))]
    const answer = await service.post("/relays", { destinationDomain: newHost(), routes })
    const [first, second] = fieldsOf(answer.json)
    expect(first?.reason).toMatch(/^At character \d+: /)
    expect(second?.reason).toContain("A selector must begin with $")
  })

  test.each(["a", "/a/**/b", "/a*b", "/a?b", "/a b"])("refuses the path %j with its place", async (path) => {
    const answer = await service.post("/relays", { destinationDomain: newHost(), routes: [{ path }] })
    expectProblem(answer, "invalid-request")
    expect(answer.json).toMatchObject({ fields: [{ pointer: "/routes/0/path" }] })
  })

  test("refuses a role that the app does not have, or that is archived, with its place", async () => {
    const slug = newSlug()
    const routes = [routeOf(selection("$.a", { role: slug }))]
    const pointer = "/routes/0/request/0/selections/0/role"
    const missing = await service.post("/relays", { destinationDomain: newHost(), routes })
    expectProblem(missing, "invalid-request")
    expect(missing.json).toMatchObject({ fields: [{ pointer }] })
    await service.newRole(service.sandbox.app, slug)
    await create({ routes })
    expect((await service.patch(`/data-roles/${slug}`, { archived: true })).status).toBe(200)
    const archived = await service.post("/relays", { destinationDomain: newHost(), routes })
    expectProblem(archived, "invalid-request")
    expect(archived.json).toMatchObject({ fields: [{ pointer }] })
  })

  test("accepts 100 routes and 1,000 selections, and refuses 101 and 1,001 with invalid-request", async () => {
    const route = { path: "/a" }
    await create({ routes: Array(100).fill(route) })
    const routes = Array(101).fill(route)
    expectProblem(await service.post("/relays", { destinationDomain: newHost(), routes }), "invalid-request")
    const hundred = routeOf(...Array(100).fill(selection("$.a")))
    await create({ routes: Array(10).fill(hundred) })
    const many = [...Array(10).fill(hundred), routeOf(selection("$.a"))]
    expectProblem(
      await service.post("/relays", { destinationDomain: newHost(), routes: many }),
      "invalid-request",
    )
    const inOne = [routeOf(...Array(101).fill(selection("$.a")))]
    expectProblem(
      await service.post("/relays", { destinationDomain: newHost(), routes: inOne }),
      "invalid-request",
    )
  })

  test("refuses a role on a file, which cannot carry it, with invalid-request", async () => {
    const role = newSlug()
    await service.newRole(service.sandbox.app, role)
    const routes = [routeOf({ type: "file", selector: "scan", role })]
    expectProblem(await service.post("/relays", { destinationDomain: newHost(), routes }), "invalid-request")
  })

  test("warns of a relay that decrypts for everybody, and not when it requires a key", async () => {
    const routes = [{ path: "/", request: [{ action: "decrypt", selections: [selection("$.a")] }] }]
    const open = await create({ routes })
    expect(open.warnings.map(({ code }) => code)).toEqual(["decrypts-without-authentication"])
    expect((await create({ routes, authentication: "api-key" })).warnings).toEqual([])
  })
})

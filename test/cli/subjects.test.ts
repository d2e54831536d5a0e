import { describe, expect, test } from "vitest"
import * as z from "zod"
import { expectProblem } from "../support/problem.ts"
import { useService } from "../support/service.ts"
import { runAgainst } from "./cli.ts"

const service = useService()
const sealway = (...args: readonly string[]) => runAgainst(service, args)
const encryptFor = (subject: string) =>
  runAgainst(service, ["encrypt", "--text", "--subject", subject], { stdin: "Ada Lovelace" })
const subjectSchema = z.object({ id: z.string(), status: z.string() })

describe("sealway subjects", () => {
  test("erases by the caller's id what encrypt --subject has sealed", async () => {
    const sealed = await encryptFor("4711")
    const token = sealed.stdout.trim()
    expect((await service.post("/decrypt", [token])).json).toEqual(["Ada Lovelace"])
    const { id } = subjectSchema.parse((await sealway("subjects", "get", "4711", "--json")).json())
    expect((await sealway("subjects", "list")).stdout).toContain(id)
    const erased = await sealway("subjects", "delete", "4711", "--yes", "--json")
    expect(subjectSchema.parse(erased.json())).toEqual({ id, status: "erased" })
    expectProblem(await service.post("/decrypt", [token]), "data-subject/erased")
    expect((await sealway("subjects", "get", id)).stdout).toContain("erased")
    expect(await sealway("subjects", "get", "4711")).toMatchObject({ exitCode: 1 })
  })

  test("undoes an erasure within the app's window", async () => {
    const app = service.sandbox.app.id
    expect((await sealway("apps", "update", app, "--erasure-days", "30")).exitCode).toBe(0)
    await encryptFor("4712")
    expect((await sealway("subjects", "delete", "4712", "--yes")).stdout).toContain("pending")
    expect((await sealway("subjects", "restore", "4712")).stdout).toContain("active")
    expect((await sealway("apps", "update", app, "--erasure-days", "0")).exitCode).toBe(0)
    expect(await sealway("apps", "update", app, "--erasure-days", "31")).toMatchObject({ exitCode: 2 })
  })

  test("refuses a file for a data subject", async () => {
    expect(await sealway("encrypt", "--binary", "x", "--subject", "4711")).toMatchObject({ exitCode: 2 })
  })
})

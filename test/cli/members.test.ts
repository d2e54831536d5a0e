import { describe, expect, test } from "vitest"
import { createMembers } from "../support/members.ts"
import { useService } from "../support/service.ts"
import { type CliOptions, runAgainst } from "./cli.ts"

const service = useService()
const sealway = (args: readonly string[], options?: CliOptions) => runAgainst(service, args, options)

describe("sealway members", () => {
  test("invites, lists invitations and revokes them", async () => {
    const invited = await sealway(["members", "invite", "Ada@example.com", "--owner", "--quiet"])
    expect(invited.exitCode).toBe(0)
    const id = invited.stdout.trim()
    expect((await sealway(["members", "invitations"])).rows()).toContainEqual(
      expect.arrayContaining([id, "ada@example.com", "owner"]),
    )
    expect((await sealway(["members", "revoke-invitation", id])).exitCode).toBe(0)
    expect((await sealway(["members", "invitations"])).stdout).not.toContain(id)
  })

  test("needs exactly one way to name the role", async () => {
    for (const flags of [[], ["--owner", "--role", "admin"]]) {
      const { exitCode, stderr } = await sealway(["members", "invite", "a@example.com", ...flags])
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--role") })
    }
  })

  test("lists members and their sessions, changes roles and removes members", async () => {
    const members = createMembers(service)
    const id = await members.idOf(await members.signIn("admin", { "user-agent": "Browser/1" }))
    expect((await sealway(["members", "list"])).rows()).toContainEqual(expect.arrayContaining([id, "admin"]))
    expect((await sealway(["members", "sessions", id])).stdout).toMatch(
      /session_\w+\t.*\t127\.0\.0\.1\tBrowser\/1/,
    )
    const updated = await sealway(["members", "update", id, "--role", "auditor", "--yes", "--json"])
    expect(updated.json()).toMatchObject({ id, role: "auditor" })
    expect((await sealway(["members", "sessions", id])).stdout).not.toContain("session_")
    expect((await sealway(["members", "delete", id, "--yes"])).exitCode).toBe(0)
    expect((await sealway(["members", "list"])).stdout).not.toContain(id)
  })
})

describe("sealway dashboard", () => {
  test("prints a link that signs in once", async () => {
    const { stdout } = await sealway(["dashboard", "--quiet"])
    expect(stdout.trim()).toMatch(new RegExp(`^${service.url}/sign-in#code=[\\w-]{43}$`))
    const { useLink } = createMembers(service)
    const code = stdout.trim().split("#code=")[1] ?? ""
    expect((await useLink(code)).answer.status).toBe(200)
    expect((await useLink(code)).answer.status).toBe(401)
  })
})

import { SCOPES } from "@sealway/accounts"
import { describe, expect, test } from "vitest"
import { useService } from "../support/service.ts"
import { type CliOptions, run, runAgainst } from "./cli.ts"

const service = useService()
const sealway = (args: readonly string[], options?: CliOptions) => runAgainst(service, args, options)
const newKey = async () =>
  (await sealway(["keys", "create", "--name", "k", "--json"])).json() as { id: string }

describe("a command that deletes something", () => {
  test("asks on a terminal, and changes nothing without a yes", async () => {
    const { id } = await newKey()
    for (const stdin of ["n\n", "\n", ""]) {
      const declined = await sealway(["keys", "revoke", id], { isTty: true, stdin })
      expect(declined).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("Nothing changed") })
    }
    const row = async () => (await sealway(["keys", "list", "--all"])).rows().find(([each]) => each === id)
    expect((await row())?.at(-1)).toBe("-")
    expect((await sealway(["keys", "revoke", id], { isTty: true, stdin: "yes\n" })).exitCode).toBe(0)
    expect((await row())?.at(-1)).toMatch(/Z$/)
  })

  test("does not ask with --yes, nor in a script", async () => {
    for (const [args, isTty] of [[["--yes"], true] as const, [[], false] as const]) {
      const { id } = await newKey()
      const revoked = await sealway(["keys", "revoke", id, ...args], { isTty })
      expect(revoked).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining("[y/N]") })
    }
  })

  test.each([
    [["keys", "revoke", "x"]],
    [["keys", "rotate", "x"]],
    [["keys", "rotate", "x", "--overlap", "0s"]],
    [["profiles", "remove", "x"]],
    [["team-keys", "revoke", "x"]],
    [["members", "delete", "x"]],
    [["members", "update", "x", "--role", "admin"]],
    [["apps", "rotate-keys", "x"]],
    [["apps", "update", "x", "--disable"]],
    [["apps", "update", "x", "--sealing", "symmetric"]],
    [["apps", "update", "x", "--custody", "hsm"]],
    [["roles", "delete", "x"]],
    [["policies", "delete", "x"]],
    [["relays", "delete", "x"]],
    [["relays", "domains", "delete", "x", "y"]],
    [["relays", "alerts", "delete", "x", "y"]],
    [["functions", "delete", "x"]],
    [["functions", "delete-run", "x", "y"]],
    [["merchants", "delete", "x"]],
    [["acquirers", "delete", "x"]],
    [["cards", "delete", "x"]],
    [["account-updater", "delete", "x"]],
    [["network-tokens", "delete", "x"]],
    [["retry-enrolments", "delete", "x", "y"]],
    [["retry-watches", "delete", "x"]],
    [["connectors", "delete", "--app", "x"]],
    [["webhooks", "delete", "x"]],
    [["webhooks", "update", "x", "--disable"]],
  ])("is %j, which sends nothing before it is answered", async (args) => {
    const fetch = () => Promise.reject(new Error("Something was sent"))
    const declined = await sealway(args, { isTty: true, stdin: "n\n", fetch })
    expect(declined).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("[y/N]") })
    expect(declined.stderr).toContain("Nothing changed")
  })
})

describe("a new key", () => {
  test("is reported as encrypting only, on standard error, when it has no scopes", async () => {
    const created = await sealway(["keys", "create", "--name", "bare"])
    expect(created.stderr).toContain("can only encrypt and read public keys")
    const scoped = await sealway(["keys", "create", "--name", "scoped", "--scope", "api:decrypt"])
    expect(scoped.stderr).not.toContain("can only encrypt")
  })

  test.each(["create", "narrow"])("has its scopes listed in the help of %s", async (name) => {
    const { stdout } = await run(["keys", name, "--help"])
    for (const scope of SCOPES) expect(stdout).toContain(`  ${scope}\n`)
  })
})

describe("an empty list", () => {
  test("says so on a terminal, and prints nothing for scripts", async () => {
    const args = ["webhooks", "list"]
    expect(await sealway(args)).toMatchObject({ exitCode: 0, stdout: "", stderr: "" })
    expect((await sealway(args, { isTty: true })).stderr).toContain("Nothing to list.")
    expect(await sealway([...args, "-q"], { isTty: true })).toMatchObject({ stdout: "", stderr: "" })
  })
})

describe("help", () => {
  test("is a command too, for a topic or for all", async () => {
    const asked = await run(["help", "keys", "create"])
    expect(asked.exitCode).toBe(0)
    expect(asked.stdout).toBe((await run(["keys", "create", "--help"])).stdout)
    expect((await run(["help"])).stdout).toBe((await run(["--help"])).stdout)
  })

  test("ends with status 2 for an unknown command, and suggests similar ones", async () => {
    for (const path of [["kyes"], ["keys", "rotat"], ["nothing"]]) {
      const refused = await run(["help", ...path])
      expect(refused).toMatchObject({ exitCode: 2, stdout: "" })
      expect(refused.stderr).toContain("unknown command")
    }
    expect((await run(["help", "kyes"])).stderr).toContain("Did you mean keys?")
    expect((await run(["help", "keys", "rotat"])).stderr).toContain("Did you mean rotate?")
    expect((await run(["help", "encrypt", "file"])).exitCode).toBe(0)
  })

  test("has no colours, with NO_COLOR and without", async () => {
    for (const env of [{}, { NO_COLOR: "1" }, { FORCE_COLOR: "1" }]) {
      expect((await run(["--help"], { env, isTty: true })).stdout).not.toContain("\u001b[")
    }
  })
})

import { describe, expect, test } from "vitest"
import { useService } from "../support/service.ts"
import { type CliOptions, runAgainst } from "./cli.ts"

const service = useService()
const sealway = (args: readonly string[], options?: CliOptions) => runAgainst(service, args, options)

/** Creates something and resolves to what `--json` prints. */
async function created<Value>(args: readonly string[]): Promise<Value> {
  const result = await sealway([...args, "--json"])
  expect(result).toMatchObject({ exitCode: 0, stderr: "" })
  return result.json() as Value
}

describe("an app", () => {
  test("is created as a sandbox, and found by its id", async () => {
    const { id } = await created<{ id: string }>(["apps", "create", "--name", "Shop"])
    const got = await sealway(["apps", "get", id])
    expect(Object.fromEntries(got.rows())).toMatchObject({ id, name: "Shop", environment: "sandbox" })
  })

  test("is for production only when the command says so", async () => {
    const app = await created(["apps", "create", "--name", "Shop", "--production"])
    expect(app).toMatchObject({ environment: "production" })
  })

  test("is printed as its id alone with --quiet, for scripts", async () => {
    const { stdout } = await sealway(["apps", "create", "--name", "Quiet", "-q"])
    expect(stdout).toMatch(/^app_[0-9a-z]+\n$/)
    expect((await sealway(["apps", "get", stdout.trim()])).exitCode).toBe(0)
  })

  test("is disabled and enabled again", async () => {
    const { id } = await created<{ id: string }>(["apps", "create", "--name", "Shop"])
    const disabled = await sealway(["apps", "update", id, "--disable", "--json"])
    expect(disabled.json()).toMatchObject({ id, status: "disabled" })
    const enabled = await sealway(["apps", "update", id, "--enable", "--name", "Store", "--json"])
    expect(enabled.json()).toMatchObject({ id, status: "enabled", name: "Store" })
    expect((await sealway(["apps", "update", id])).exitCode).toBe(2)
  })

  test("gets the origins of its pages, and loses them again", async () => {
    const { id } = await created<{ id: string }>(["apps", "create", "--name", "Shop"])
    const origins = ["https://a.example", "http://localhost:3000"]
    const named = await sealway(["apps", "update", id, "--origin", ...origins, "--json"])
    expect(named.json()).toMatchObject({ id, allowedOrigins: origins })
    const got = await sealway(["apps", "get", id])
    expect(Object.fromEntries(got.rows())).toMatchObject({ origins: origins.join(" ") })
    const none = await sealway(["apps", "update", id, "--no-origins", "--json"])
    expect(none.json()).toMatchObject({ id, allowedOrigins: [] })
    expect(
      (await sealway(["apps", "update", id, "--no-origins", "--origin", "https://a.example"])).exitCode,
    ).toBe(2)
  })

  test("encrypts symmetrically, and to its public key again", async () => {
    const { id } = await created<{ id: string }>(["apps", "create", "--name", "Shop"])
    const changed = await sealway(["apps", "update", id, "--sealing", "symmetric", "--json"])
    expect(changed.json()).toMatchObject({ id, sealing: "symmetric" })
    expect(Object.fromEntries((await sealway(["apps", "get", id])).rows())).toMatchObject({
      sealing: "symmetric",
    })
    const back = await sealway(["apps", "update", id, "--sealing", "public-key", "--json"])
    expect(back.json()).toMatchObject({ id, sealing: "public-key" })
    expect((await sealway(["apps", "update", id, "--sealing", "none"])).exitCode).toBe(2)
  })

  test("has its keys in an HSM from its creation on, or by a change, and no longer", async () => {
    const inHsm = await created(["apps", "create", "--name", "Vault", "--custody", "hsm"])
    expect(inHsm).toMatchObject({ custody: "hsm" })
    const { id } = await created<{ id: string }>(["apps", "create", "--name", "Shop"])
    await sealway(["apps", "update", id, "--custody", "hsm"])
    const got = await sealway(["apps", "get", id])
    expect(Object.fromEntries(got.rows())).toMatchObject({ custody: "hsm" })
    expect((await sealway(["apps", "update", id, "--sealing", "symmetric"])).exitCode).not.toBe(0)
    const back = await sealway(["apps", "update", id, "--custody", "envelope", "--json"])
    expect(back.json()).toMatchObject({ id, custody: "envelope" })
    expect((await sealway(["apps", "update", id, "--custody", "none"])).exitCode).toBe(2)
  })

  test("ends with status 4 when it does not exist", async () => {
    const missing = await sealway(["apps", "get", "app_00000000000000000000000000"])
    expect(missing).toMatchObject({ exitCode: 4, stdout: "" })
  })

  test("is not reached through a name that climbs out of its path", async () => {
    expect((await sealway(["apps", "get", ".."])).exitCode).toBe(4)
    expect((await sealway(["apps", "get", "x/../../team"])).exitCode).toBe(4)
  })

  test("gets another key version", async () => {
    const rotated = await sealway(["apps", "rotate-keys", service.production.app.id])
    expect(rotated.rows()).toEqual([["version", "2"]])
    const listed = await sealway(["apps", "key-versions", service.production.app.id])
    expect(listed.rows().map((row) => row.slice(0, 2))).toEqual([
      ["2", "envelope"],
      ["1", "envelope"],
    ])
    expect((await sealway(["apps", "key-versions", service.production.app.id, "-q"])).stdout).toBe("2\n1\n")
  })
})

describe("a list", () => {
  test("is one line per entry, fields separated by tabs, without a header", async () => {
    const rows = (await sealway(["apps", "list", "--all"])).rows()
    expect(rows.map(([id]) => id)).toContain(service.sandbox.app.id)
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([5]))
  })

  test("has a header and columns on a terminal", async () => {
    const { stdout } = await sealway(["apps", "list"], { isTty: true })
    expect(stdout).toMatch(/^ID {2,}NAME {2,}ENVIRONMENT {2,}STATUS {2,}CREATED\n/)
    expect(stdout).not.toContain("\t")
  })

  test("follows its pages with --all, and stops at --limit", async () => {
    for (let count = 0; count < 3; count++) await created(["apps", "create", "--name", "Listed"])
    const all = (await sealway(["apps", "list", "--all", "-q"])).rows().flat()
    expect(new Set(all).size).toBe(all.length)
    const two = await sealway(["apps", "list", "--limit", "2", "-q"])
    expect(two.rows().flat()).toEqual(all.slice(0, 2))
    const rest = await sealway(["apps", "list", "--all", "-q", "--starting-after", all[1] ?? ""])
    expect(rest.rows().flat()).toEqual(all.slice(2))
    const json = await sealway(["apps", "list", "--limit", "2", "--json"])
    expect(json.json()).toMatchObject({ data: [{ id: all[0] }, { id: all[1] }], hasMore: true })
  })

  test.each(["0", "-1", "1e3", "x"])("refuses --limit %s with status 2", async (limit) => {
    expect((await sealway(["apps", "list", "--limit", limit])).exitCode).toBe(2)
  })

  test("escapes names that would control a terminal", async () => {
    const name = "a\u202eb"
    const { exitCode } = await sealway(["apps", "create", "--name", name])
    const { stdout } = await sealway(["apps", "list", "--all"])
    expect(stdout).not.toContain("\u202e")
    expect(exitCode === 0).toBe(stdout.includes("a\u{fffd}b"))
  })
})

describe("an API key", () => {
  test("works once created, may do what its scopes say, and ends when revoked", async () => {
    const key = (
      await sealway(["keys", "create", "--name", "ci", "--scope", "api:decrypt", "-q"])
    ).stdout.trim()
    expect(key).toMatch(/^swk_sandbox_/)
    const env = { SEALWAY_API_KEY: key }
    const sealed = await sealway(["encrypt", "--value", "x"], { env })
    expect((await sealway(["decrypt", "--text"], { stdin: sealed.stdout, env })).stdout).toBe("x\n")

    const listed = (await sealway(["keys", "list", "--all"])).rows().find(([, name]) => name === "ci")
    expect(listed?.[2]).toBe("api:decrypt")
    const revoked = await sealway(["keys", "revoke", listed?.[0] ?? ""])
    expect(revoked).toMatchObject({ exitCode: 0, stdout: "" })
    const after = (await sealway(["keys", "list", "--all"])).rows().find(([, name]) => name === "ci")
    expect(after?.at(-1)).toMatch(/^20[0-9]{2}-/)
  })

  test("is shown where it is created and nowhere else", async () => {
    const { key, id } = await created<{ key: string; id: string }>(["keys", "create", "--name", "shown"])
    const text = await sealway(["keys", "create", "--name", "text"])
    expect(Object.fromEntries(text.rows()).key).toMatch(/^swk_sandbox_/)
    const list = await sealway(["keys", "list", "--all", "--json"])
    expect(list.stdout).toContain(id)
    expect(list.stdout).not.toContain(key)
    expect(list.stdout).not.toMatch(/swk_/)
  })

  test("belongs to the app that --app names", async () => {
    const args = ["keys", "create", "--name", "p", "--app", service.production.app.id, "-q"]
    expect((await sealway(args)).stdout).toMatch(/^swk_production_/)
  })

  test("is replaced by one like it, next to which it works for a while", async () => {
    const { id, key } = await created<{ id: string; key: string }>([
      ...["keys", "create", "--name", "old", "--scope", "api:decrypt", "api:fingerprint"],
    ])
    const fresh = (await sealway(["keys", "rotate", id, "--overlap", "1h", "--json"])).json()
    expect(fresh).toMatchObject({ name: "old", scopes: ["api:decrypt", "api:fingerprint"] })
    for (const apiKey of [key, (fresh as { key: string }).key]) {
      const { exitCode } = await sealway(["encrypt", "--value", "x"], { env: { SEALWAY_API_KEY: apiKey } })
      expect(exitCode).toBe(0)
    }
  })

  test("expires at the time given", async () => {
    const now = Date.now()
    const wallClock = () => now
    const result = await sealway(["keys", "create", "--name", "e", "--expires", "90d", "--json"], {
      wallClock,
    })
    expect(result.json()).toMatchObject({ expiresAt: now + 90 * 86_400_000 })
    const past = await sealway(["keys", "create", "--name", "e", "--expires", "2020-01-01"])
    expect(past.exitCode).toBe(1)
    expect(past.stderr).toContain("/expiresAt")
  })

  test("is listed with the scopes that it keeps when it is narrowed", async () => {
    const { id } = await created<{ id: string }>([
      ...["keys", "create", "--name", "narrowed", "--scope", "api:decrypt", "--scope", "function:run"],
    ])
    const scopesOf = async () => {
      const rows = (await sealway(["keys", "list", "--all"])).rows()
      return rows.find((row) => row[0] === id)?.[2]
    }
    expect(await scopesOf()).toBe("api:decrypt,function:run")
    const narrowed = await sealway(["keys", "narrow", id, "--scope", "api:decrypt", "--json"])
    expect(narrowed.json()).toMatchObject({ id, scopes: ["api:decrypt"] })
    expect(await scopesOf()).toBe("api:decrypt")
    expect((await sealway(["keys", "narrow", id, "--none", "-q"])).stdout).toBe(`${id}\n`)
    expect(await scopesOf()).toBe("-")
  })

  test("has the limits that it is given, at its creation and later", async () => {
    const { id, limits } = await created<{ id: string; limits: object }>([
      ...["keys", "create", "--name", "limited", "--requests-per-second", "20"],
    ])
    expect(limits).toEqual({ requestsPerSecond: 20, valuesPerSecond: 250_000 })
    const flags = ["--requests-per-second", "default", "--values-per-second", "500"]
    const changed = await sealway(["keys", "update", id, ...flags, "--json"])
    expect(changed.json()).toMatchObject({ id, limits: { requestsPerSecond: 2_000, valuesPerSecond: 500 } })
    expect((await sealway(["keys", "update", id, ...flags])).stdout).toContain(
      "2000 requests/s, 500 values/s",
    )
    for (const wrong of [[], ["--values-per-second", "0"], ["--requests-per-second", "1.5"]]) {
      expect((await sealway(["keys", "update", id, ...wrong])).exitCode).toBe(2)
    }
  })

  test("is narrowed by either --scope or --none: status 2 without one of them, or with both", async () => {
    const { id } = await created<{ id: string }>(["keys", "create", "--name", "n", "--scope", "api:decrypt"])
    for (const flags of [[], ["--none", "--scope", "api:decrypt"]]) {
      expect((await sealway(["keys", "narrow", id, ...flags])).exitCode).toBe(2)
    }
  })

  test("is refused with a scope that does not exist, and the place is named", async () => {
    const refused = await sealway(["keys", "create", "--name", "x", "--scope", "api:everything"])
    expect(refused.exitCode).toBe(1)
    expect(refused.stderr).toContain("/scopes/0")
  })

  test("cannot manage keys: status 3", async () => {
    const refused = await sealway(["keys", "list"], { env: { SEALWAY_TEAM_KEY: service.sandbox.auth.key } })
    expect(refused.exitCode).toBe(3)
  })
})

describe("a team key", () => {
  test("works once created, and ends when revoked", async () => {
    const { id, key } = await created<{ id: string; key: string }>(["team-keys", "create", "--name", "ops"])
    expect((await sealway(["apps", "list"], { env: { SEALWAY_TEAM_KEY: key } })).exitCode).toBe(0)
    const list = await sealway(["team-keys", "list", "--all"])
    expect(list.rows().find((row) => row[0] === id)?.[1]).toBe("ops")
    expect(list.stdout).not.toMatch(/swk_/)
    expect((await sealway(["team-keys", "revoke", id])).exitCode).toBe(0)
  })
})

import { beforeAll, describe, expect, test } from "vitest"
import { newAppWithRole, policyOf } from "../support/policies.ts"
import { type Identity, useService } from "../support/service.ts"
import { type CliOptions, runAgainst } from "./cli.ts"

const service = useService()
let app: Identity
let role: string
let token: string

const sealway = (args: readonly string[], options: CliOptions = {}) =>
  runAgainst(service, ["access", "list", ...args], {
    ...options,
    env: { SEALWAY_APP: app.app.id, SEALWAY_API_KEY: app.auth.key },
  })

async function decrypt(values: number): Promise<void> {
  const body = `[${Array(values).fill(token).join()}]`
  expect((await service.post("/decrypt", body, { auth: app.auth })).status).toBe(200)
  await service.service.platform.accessLog.flush()
}

beforeAll(async () => {
  ;({ app, role, token } = await newAppWithRole(service))
  expect((await service.post("/data-policies", policyOf(role), { auth: app.auth })).status).toBe(201)
  for (const values of [1, 2, 3]) await decrypt(values)
})

describe("access list", () => {
  test("lists who decrypted how many values, newest first", async () => {
    const rows = (await sealway(["--limit", "2"])).rows()
    expect(rows).toEqual([
      [
        expect.stringMatching(/Z$/),
        "api",
        expect.stringMatching(/^key_/),
        "127.0.0.1",
        "-",
        "3",
        "-",
        `${role}=3`,
        expect.stringMatching(/^access_/),
      ],
      [
        expect.stringMatching(/Z$/),
        "api",
        expect.stringMatching(/^key_/),
        "127.0.0.1",
        "-",
        "2",
        "-",
        `${role}=2`,
        expect.stringMatching(/^access_/),
      ],
    ])
  })

  test("filters by role, key and time", async () => {
    expect((await sealway(["--role", role, "--all"])).rows()).toHaveLength(3)
    expect((await sealway(["--role", "other", "--all"])).rows()).toEqual([])
    const [, , key = ""] = (await sealway(["--limit", "1"])).rows()[0] ?? []
    expect((await sealway(["--key", key, "--all"])).rows()).toHaveLength(3)
    expect((await sealway(["--to", "1h", "--all"])).rows()).toEqual([])
    expect((await sealway(["--from", "1h", "--all"])).rows()).toHaveLength(3)
  })

  test("exports CSV, with a header line, and JSON", async () => {
    const { stdout } = await sealway(["--all", "--csv"])
    const [titles, first, ...others] = stdout.trimEnd().split("\n")
    expect(titles).toBe(
      "id,at,appId,source,actorType,actorId,apiKeyId,relayId,functionName,ip,requestId,roles,withoutRole,total,enclave,pcr0,reason,masked,maskedRoles",
    )
    expect(first?.split(",").slice(-8)).toEqual([`${role}=3`, "0", "3", "", "", "", "0", ""])
    expect(others).toHaveLength(2)
    expect((await sealway(["--all", "--json"])).json()).toMatchObject({
      data: [{ total: 3 }, { total: 2 }, { total: 1 }],
      hasMore: false,
    })
  })

  test("follows: shows the newest, then each new one once, oldest first, until it is ended", async () => {
    const end = new AbortController()
    let sleeps = 0
    const sleep = async () => {
      sleeps++
      if (sleeps === 1) await decrypt(4)
      if (sleeps === 2) for (const values of [5, 6]) await decrypt(values)
      if (sleeps < 4) return
      end.abort(130)
      throw end.signal.reason
    }
    const { stdout } = await sealway(["--follow", "--limit", "2", "--json"], { sleep, signal: end.signal })
    const totals = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).total)
    expect(totals).toEqual([2, 3, 4, 5, 6])
  })

  test.each([
    [["--csv", "--json"]],
    [["--follow", "--all"]],
    [["--follow", "--from", "1h"]],
    [["--from", "yesterday"]],
  ])("refuses %j as a usage error", async (args) => {
    expect((await sealway(args)).exitCode).toBe(2)
  })
})

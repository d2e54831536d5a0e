import { beforeAll, describe, expect, test } from "vitest"
import { type Identity, useService } from "../support/service.ts"
import { type CliOptions, runAgainst } from "./cli.ts"

const service = useService()
let app: Identity

const sealway = (args: readonly string[], options: CliOptions = {}) =>
  runAgainst(service, ["stats", ...args], {
    ...options,
    env: { SEALWAY_APP: app.app.id, SEALWAY_API_KEY: app.auth.key },
  })

beforeAll(async () => {
  app = await service.newApp("sandbox")
  for (const body of ['["a","b"]', '"c"']) {
    expect((await service.post("/encrypt", body, { auth: app.auth })).status).toBe(200)
  }
  await service.service.platform.stats.flush()
})

describe("stats", () => {
  test("shows a line for each interval, oldest first", async () => {
    const rows = (await sealway(["--interval", "day", "--from", "1d"])).rows()
    expect(rows).toHaveLength(2)
    expect(rows[1]).toEqual([
      expect.stringMatching(/T00:00:00Z$/),
      ...["2", "3", "0", "0", "0", "0", "0", "0", "0"],
      expect.stringMatching(/^[0-9.]+\/[0-9.]+$/),
      "-",
      "-",
    ])
  })

  test("shows the largest groups of a dimension", async () => {
    const rows = (await sealway(["--by", "endpoint"])).rows()
    expect(rows[0]?.slice(0, 3)).toEqual(["encrypt", "2", "0"])
    expect((await sealway(["--by", "role"])).rows()[0]?.slice(0, 3)).toEqual(["-", "0", "3"])
  })

  test("prints the service's answer with --json, and a header with --csv", async () => {
    expect(JSON.parse((await sealway(["--json"])).stdout)).toMatchObject({ interval: "hour", by: null })
    const [header, ...lines] = (await sealway(["--csv"])).stdout.trim().split(/\r?\n/)
    expect(header).toContain("at,requests,encrypted")
    expect(lines).toHaveLength(24)
  })

  test.each([
    [["--csv", "--json"], 2],
    [["--interval", "week"], 2],
    [["--from", "soon"], 2],
    [["--interval", "hour", "--from", "30d"], 1],
  ])("refuses %j", async (args, exitCode) => {
    expect((await sealway(args)).exitCode).toBe(exitCode)
  })
})

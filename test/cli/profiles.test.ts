import { describe, expect, test } from "vitest"
import { useService } from "../support/service.ts"
import { withFolder } from "../support/start.ts"
import { type CliOptions, run } from "./cli.ts"

const service = useService()

/** Runs commands in one home folder, without any variables. */
const atHome = <Result>(
  use: (
    sealway: (args: readonly string[], options?: CliOptions) => ReturnType<typeof run>,
  ) => Promise<Result>,
) => withFolder((folder) => use((args, options = {}) => run(args, { folder, ...options })))

describe("profiles", () => {
  test("are added, listed, used by flag and variable, and removed", () =>
    atHome(async (sealway) => {
      const other = await service.newApp("sandbox")
      await sealway(["login", "--url", service.url], { stdin: service.sandbox.auth.key })
      const added = await sealway(["profiles", "add", "other", "--url", service.url], {
        stdin: other.auth.key,
      })
      expect(added).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("the profile other") })
      await sealway(["profiles", "add", "other"], { stdin: service.team.auth.key })
      expect((await sealway(["profiles", "list"])).rows()).toEqual([
        ["default", "yes", service.url, service.sandbox.app.id, "API key"],
        ["other", "-", service.url, other.app.id, "API key,team key"],
      ])
      const appOf = async (args: readonly string[], env = {}) =>
        (await sealway(["whoami", ...args], { env })).rows().find(([what]) => what === "app")?.[1]
      expect(await appOf([])).toBe(service.sandbox.app.id)
      expect(await appOf(["--profile", "other"])).toBe(other.app.id)
      expect(await appOf([], { SEALWAY_PROFILE: "other" })).toBe(other.app.id)
      expect(await appOf(["--profile", "default"], { SEALWAY_PROFILE: "other" })).toBe(service.sandbox.app.id)

      expect((await sealway(["profiles", "remove", "other"])).exitCode).toBe(0)
      expect((await sealway(["profiles", "remove", "other"])).exitCode).toBe(4)
      expect((await sealway(["profiles", "list", "-q"])).stdout).toBe("default\n")
      expect((await sealway(["whoami", "--profile", "other"])).exitCode).toBe(2)
    }))

  test("are logged into and out of by name", () =>
    atHome(async (sealway) => {
      const env = { SEALWAY_PROFILE: "mine" }
      await sealway(["login", "--url", service.url], { stdin: service.sandbox.auth.key, env })
      expect((await sealway(["profiles", "list", "-q"])).stdout).toBe("mine\n")
      expect((await sealway(["encrypt", "--value", "x"])).exitCode).toBe(3)
      expect((await sealway(["encrypt", "--value", "x"], { env })).exitCode).toBe(0)
      await sealway(["logout", "--profile", "mine"])
      expect((await sealway(["profiles", "list", "-q"])).stdout).toBe("")
    }))

  test("are not created from an invalid key, nor with an invalid name", () =>
    atHome(async (sealway) => {
      const stdin = "swk_sandbox_wrong"
      expect((await sealway(["profiles", "add", "x", "--url", service.url], { stdin })).exitCode).toBe(3)
      expect((await sealway(["profiles", "add", "../x", "--url", service.url], { stdin })).exitCode).toBe(2)
      expect((await sealway(["whoami", "--profile", "../x"])).exitCode).toBe(2)
      expect((await sealway(["profiles", "list", "-q"])).stdout).toBe("")
    }))

  test("show no key in any mode", () =>
    atHome(async (sealway) => {
      const added = await sealway(["profiles", "add", "x", "--url", service.url, "--json"], {
        stdin: service.sandbox.auth.key,
      })
      const shown = await Promise.all(
        [[], ["--json"], ["-q"]].map((mode) => sealway(["profiles", "list", ...mode])),
      )
      for (const { stdout, stderr } of [added, ...shown]) expect(stdout + stderr).not.toContain("swk_")
    }))
})

describe("a key that is ignored", () => {
  const told = (isTty: boolean, args: readonly string[] = []) =>
    atHome(async (sealway) => {
      await sealway(["login", "--url", service.url], { stdin: service.sandbox.auth.key })
      const other = await service.newApp("sandbox")
      const env = { SEALWAY_APP: other.app.id, SEALWAY_API_KEY: other.auth.key }
      return sealway(["encrypt", "--value", "x", ...args], { env, isTty })
    })

  test("is reported on a terminal, with the reason", async () => {
    const { exitCode, stderr } = await told(true)
    expect(exitCode).toBe(0)
    expect(stderr).toMatch(
      /^The API key from .*profile\.json is ignored: it belongs to app_.*SEALWAY_APP is app_.*\.\n$/,
    )
  })

  test("is not reported to scripts, nor under --quiet and --json", async () => {
    expect((await told(false)).stderr).toBe("")
    expect((await told(true, ["-q"])).stderr).toBe("")
    expect((await told(true, ["--json"])).stderr).toBe("")
  })
})

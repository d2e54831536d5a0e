import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { useService } from "../support/service.ts"
import { withFolder } from "../support/start.ts"
import { run } from "./cli.ts"

const service = useService()
/** Runs commands in one home folder, without any variables. */
const atHome = <Result>(
  use: (
    sealway: (args: readonly string[], stdin?: string) => ReturnType<typeof run>,
    folder: string,
  ) => Promise<Result>,
) => withFolder((folder) => use((args, stdin = "") => run(args, { folder, stdin }), folder))

describe("a login", () => {
  test("needs only an API key for later commands, which know the app too", () =>
    atHome(async (sealway, folder) => {
      const login = await sealway(["login", "--url", `${service.url}/`], `${service.sandbox.auth.key}\n`)
      expect(login).toMatchObject({ exitCode: 0, stdout: "" })
      expect(login.stderr).toContain(service.sandbox.app.id)
      const sealed = await sealway(["encrypt", "--value", "x"])
      expect(sealed.stdout).toMatch(/^ev:debug:/)
      const kept = JSON.parse(await readFile(join(folder, ".config", "sealway", "profile.json"), "utf8"))
      expect(kept).toEqual({
        url: service.url,
        app: service.sandbox.app.id,
        apiKey: service.sandbox.auth.key,
      })
    }))

  test("keeps a team key beside the API key", () =>
    atHome(async (sealway) => {
      await sealway(["login", "--url", service.url], service.sandbox.auth.key)
      await sealway(["login"], service.team.auth.key)
      const who = await sealway(["whoami"])
      expect(who.exitCode).toBe(0)
      expect(who.rows().map(([what, value]) => [what, value])).toEqual([
        ["service", service.url],
        ["app", service.sandbox.app.id],
        ["API key", `valid, of ${service.sandbox.app.id}`],
        ["team key", `valid, of ${service.team.id}`],
      ])
    }))

  test("keeps nothing when the key is not valid, and ends with status 3", () =>
    atHome(async (sealway) => {
      const wrong = "swk_sandbox_wrong"
      const refused = await sealway(["login", "--url", service.url], wrong)
      expect(refused.exitCode).toBe(3)
      expect(refused.stderr).not.toContain(wrong)
      expect((await sealway(["whoami"])).exitCode).toBe(2)
    }))

  test("ends with status 2 without a key", () =>
    atHome(async (sealway) => {
      expect((await sealway(["login", "--url", service.url])).exitCode).toBe(2)
    }))

  test("forgets the keys of the first service when it is at another one", () =>
    atHome(async (sealway, folder) => {
      await sealway(["login", "--url", service.url], service.team.auth.key)
      const other = service.url.replace("127.0.0.1", "localhost")
      await sealway(["login", "--url", other], service.sandbox.auth.key)
      const kept = JSON.parse(await readFile(join(folder, ".config", "sealway", "profile.json"), "utf8"))
      expect(Object.keys(kept).sort()).toEqual(["apiKey", "app", "url"])
    }))

  test("ends with a logout", () =>
    atHome(async (sealway) => {
      await sealway(["login", "--url", service.url], service.sandbox.auth.key)
      expect((await sealway(["logout"])).exitCode).toBe(0)
      expect((await sealway(["encrypt", "--value", "x"])).exitCode).toBe(3)
      expect((await sealway(["logout"])).exitCode).toBe(0)
    }))
})

test("ends whoami with status 3 when a key is not valid, and shows no key", async () => {
  const who = await run(["whoami"], {
    env: {
      SEALWAY_URL: service.url,
      SEALWAY_API_KEY: "swk_sandbox_wrong",
      SEALWAY_TEAM_KEY: service.team.auth.key,
    },
  })
  expect(who.exitCode).toBe(3)
  expect(who.stdout).toContain("not valid")
  expect(who.stdout + who.stderr).not.toMatch(/swk_(sandbox|team)_[A-Za-z0-9]/)
})

import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { CliHost } from "./host.ts"
import { type Profile, profilePath, readProfile, writeProfile } from "./profile.ts"
import { findSettings } from "./settings.ts"
import { createTestHost } from "./testing/test-host.ts"

const PROFILE: Profile = {
  url: "https://api.example.com",
  app: "app_profile",
  apiKey: "profile-api-key",
  teamKey: "profile-team-key",
}
const LOCAL = `export SEALWAY_URL=http://127.0.0.1:7400
export SEALWAY_APP=app_local
export SEALWAY_API_KEY=local-api-key
export SEALWAY_TEAM_KEY=local-team-key
`

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealway-cli-"))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const hostWith = (env: CliHost["env"] = {}) => createTestHost({ folder, env })

async function writeLocal(text: string): Promise<void> {
  await mkdir(join(folder, ".sealway"))
  await writeFile(join(folder, ".sealway", "env"), text)
}

async function find(env: CliHost["env"] = {}, flags: { url?: string; app?: string } = {}) {
  const { url, app, apiKey, teamKey } = await findSettings(hostWith(env), flags)
  return [url, app, apiKey, teamKey].map((found) => found?.value ?? null)
}

describe("the settings", () => {
  test("are none where nothing is said", async () => {
    expect(await find()).toEqual([null, null, null, null])
  })

  test("are those of `npm start` in the current folder", async () => {
    await writeLocal(LOCAL)
    expect(await find()).toEqual(["http://127.0.0.1:7400", "app_local", "local-api-key", "local-team-key"])
  })

  test("are not those of a file that names another machine", async () => {
    await writeLocal(LOCAL.replace("127.0.0.1", "evil.example"))
    expect(await find()).toEqual([null, null, null, null])
  })

  test("are what `login` kept, before those of the current folder", async () => {
    await writeLocal(LOCAL)
    await writeProfile(hostWith(), PROFILE)
    expect(await find()).toEqual([PROFILE.url, PROFILE.app, PROFILE.apiKey, PROFILE.teamKey])
  })

  test("are those of the environment before what was kept, and flags before all", async () => {
    await writeProfile(hostWith(), PROFILE)
    const env = {
      SEALWAY_URL: "https://env.example.com",
      SEALWAY_APP: "app_env",
      SEALWAY_API_KEY: "env-api-key",
      SEALWAY_TEAM_KEY: "env-team-key",
    }
    expect(await find(env)).toEqual([env.SEALWAY_URL, "app_env", "env-api-key", "env-team-key"])
    expect(await find(env, { url: "https://flag.example.com" })).toEqual([
      "https://flag.example.com",
      "app_env",
      "env-api-key",
      "env-team-key",
    ])
  })

  test("take an empty variable as one that is not set", async () => {
    await writeProfile(hostWith(), PROFILE)
    expect(await find({ SEALWAY_URL: "", SEALWAY_API_KEY: "" })).toEqual(Object.values(PROFILE))
  })

  test("hold no kept key for an address that it was not kept with", async () => {
    await writeLocal(LOCAL)
    await writeProfile(hostWith(), PROFILE)
    expect(await find({ SEALWAY_URL: "https://evil.example" })).toEqual([
      "https://evil.example",
      null,
      null,
      null,
    ])
    expect(await find({}, { url: "https://api.example.com.evil.example" })).toEqual([
      "https://api.example.com.evil.example",
      null,
      null,
      null,
    ])
  })

  test("hold the keys of the running service when its address is named", async () => {
    await writeLocal(LOCAL)
    await writeProfile(hostWith(), PROFILE)
    expect((await find({}, { url: "http://127.0.0.1:7400/" }))[2]).toBe("local-api-key")
  })

  test("hold no API key of another app than the one that is named", async () => {
    await writeProfile(hostWith(), PROFILE)
    expect(await find({}, { app: "app_other" })).toEqual([PROFILE.url, "app_other", null, PROFILE.teamKey])
    const env = { SEALWAY_APP: "app_env", SEALWAY_API_KEY: "env-api-key" }
    expect((await find(env, { app: "app_other" }))[2]).toBeNull()
  })
})

describe("what `login` keeps", () => {
  test("is readable by its owner only, in the folder for configuration", async () => {
    const host = hostWith({ XDG_CONFIG_HOME: join(folder, "config") })
    await writeProfile(host, PROFILE)
    expect(profilePath(host)).toBe(join(folder, "config", "sealway", "profile.json"))
    expect((await stat(profilePath(host))).mode & 0o777).toBe(0o600)
    expect((await stat(join(folder, "config", "sealway"))).mode & 0o077).toBe(0)
    expect(await readProfile(host)).toEqual(PROFILE)
  })

  test("stays private when it is replaced", async () => {
    await writeProfile(hostWith(), PROFILE)
    await writeProfile(hostWith(), { url: "https://other.example.com" })
    expect((await stat(profilePath(hostWith()))).mode & 0o777).toBe(0o600)
    expect(await readProfile(hostWith())).toEqual({ url: "https://other.example.com" })
  })

  test("is not used once others may read it", async () => {
    await writeProfile(hostWith(), PROFILE)
    await chmod(profilePath(hostWith()), 0o640)
    await expect(readProfile(hostWith())).rejects.toMatchObject({ code: "profile", exitCode: 1 })
  })

  test("is not used when it is damaged, and the message holds nothing of it", async () => {
    await writeProfile(hostWith(), PROFILE)
    await writeFile(profilePath(hostWith()), '{"apiKey": "secret-key"')
    await expect(readProfile(hostWith())).rejects.toMatchObject({
      code: "profile",
      message: expect.not.stringContaining("secret-key"),
    })
  })

  test("is kept below the home folder where XDG_CONFIG_HOME is no absolute path", () => {
    const host = hostWith({ XDG_CONFIG_HOME: "config" })
    expect(profilePath(host)).toBe(join(folder, ".config", "sealway", "profile.json"))
  })
})

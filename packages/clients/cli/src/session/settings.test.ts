import { execFileSync } from "node:child_process"
import { chmod, mkdir, mkdtemp, realpath, rm, stat, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { CliHost } from "../terminal/host.ts"
import { createTestHost, type TestHostOptions } from "../testing/test-host.ts"
import {
  listProfiles,
  type Profile,
  parseProfileName,
  profilePath,
  readProfile,
  removeProfile,
  writeProfile,
} from "./profile.ts"
import { findSettings, requireUrl } from "./settings.ts"

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
  test("are absent by default", async () => {
    expect(await find()).toEqual([null, null, null, null])
  })

  test("are those of `npm start` in the current folder", async () => {
    await writeLocal(LOCAL)
    expect(await find()).toEqual(["http://127.0.0.1:7400", "app_local", "local-api-key", "local-team-key"])
  })

  test("are not taken from a file that names another machine", async () => {
    await writeLocal(LOCAL.replace("127.0.0.1", "evil.example"))
    expect(await find()).toEqual([null, null, null, null])
  })

  test("are those stored by `login`, before those of the current folder", async () => {
    await writeLocal(LOCAL)
    await writeProfile(hostWith(), PROFILE)
    expect(await find()).toEqual([PROFILE.url, PROFILE.app, PROFILE.apiKey, PROFILE.teamKey])
  })

  test("are those of the environment before stored ones, and those of flags before all", async () => {
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

  test("treat an empty variable as unset", async () => {
    await writeProfile(hostWith(), PROFILE)
    expect(await find({ SEALWAY_URL: "", SEALWAY_API_KEY: "" })).toEqual(Object.values(PROFILE))
  })

  test("contain no stored key for an address that it was not stored with", async () => {
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

  test("contain the keys of the running service when its address is given", async () => {
    await writeLocal(LOCAL)
    await writeProfile(hostWith(), PROFILE)
    expect((await find({}, { url: "http://127.0.0.1:7400/" }))[2]).toBe("local-api-key")
  })

  test("contain no API key of another app than the given one", async () => {
    await writeProfile(hostWith(), PROFILE)
    expect(await find({}, { app: "app_other" })).toEqual([PROFILE.url, "app_other", null, PROFILE.teamKey])
    const env = { SEALWAY_APP: "app_env", SEALWAY_API_KEY: "env-api-key" }
    expect((await find(env, { app: "app_other" }))[2]).toBeNull()
  })
})

describe("a profile", () => {
  const STAGING: Profile = {
    url: "https://staging.example.com",
    app: "app_staging",
    apiKey: "staging-api-key",
  }

  test("is selected by the flag, before the environment, before the default one", async () => {
    await writeProfile(hostWith(), PROFILE)
    await writeProfile(hostWith(), STAGING, "staging")
    await writeProfile(hostWith(), { ...STAGING, apiKey: "other-api-key" }, "other")
    const keyOf = async (env: CliHost["env"], profile?: string) =>
      (await findSettings(hostWith(env), { profile })).apiKey?.value
    expect(await keyOf({})).toBe("profile-api-key")
    expect(await keyOf({ SEALWAY_PROFILE: "" })).toBe("profile-api-key")
    expect(await keyOf({ SEALWAY_PROFILE: "staging" })).toBe("staging-api-key")
    expect(await keyOf({ SEALWAY_PROFILE: "staging" }, "other")).toBe("other-api-key")
    expect(await keyOf({ SEALWAY_PROFILE: "staging" }, "default")).toBe("profile-api-key")
  })

  test("that does not exist is refused with status 2, unless it is about to be created", async () => {
    await writeLocal(LOCAL)
    await expect(findSettings(hostWith(), { profile: "nothing" })).rejects.toMatchObject({ exitCode: 2 })
    const made = await findSettings(hostWith(), { profile: "nothing", isNewProfile: true })
    expect(made.url?.value).toBe("http://127.0.0.1:7400")
  })

  test.each(["", "../profile", "a/b", "A", ".hidden", "-x", "a".repeat(33), "a\n", "a\0b", "é"])(
    "is refused with status 2 when its name is %j",
    (name) =>
      expect(() => parseProfileName(name, "--profile")).toThrow(expect.objectContaining({ exitCode: 2 })),
  )

  test("is a separate file that only its owner can read", async () => {
    await writeProfile(hostWith(), STAGING, "staging")
    const path = profilePath(hostWith(), "staging")
    expect(path).toBe(join(folder, ".config", "sealway", "profiles", "staging.json"))
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(join(path, ".."))).mode & 0o077).toBe(0)
    await chmod(path, 0o604)
    await expect(readProfile(hostWith(), "staging")).rejects.toMatchObject({ code: "profile", exitCode: 1 })
  })

  test("is listed by its name until it is removed, and files with other names are not", async () => {
    expect(await listProfiles(hostWith())).toEqual([])
    await writeProfile(hostWith(), STAGING, "staging")
    await writeProfile(hostWith(), STAGING, "a")
    await writeProfile(hostWith(), PROFILE)
    await writeFile(join(folder, ".config", "sealway", "profiles", "a.json.abc"), "")
    await writeFile(join(folder, ".config", "sealway", "profiles", "default.json"), "")
    expect(await listProfiles(hostWith())).toEqual(["default", "a", "staging"])
    expect(await removeProfile(hostWith(), "staging")).toBe(true)
    expect(await removeProfile(hostWith(), "staging")).toBe(false)
    expect(await listProfiles(hostWith())).toEqual(["default", "a"])
  })
})

describe("the file of `npm start`", () => {
  const below = async (...names: string[]) => {
    const path = join(folder, ...names)
    await mkdir(path, { recursive: true })
    return path
  }
  const findAt = async (options: TestHostOptions) => {
    const found = await findSettings(createTestHost({ homeFolder: folder, ...options }), {})
    return { app: found.app?.value ?? null, origin: found.app?.origin ?? null, foreign: found.foreignFile }
  }

  test("is found in a parent folder, and the nearest one wins", async () => {
    await writeLocal(LOCAL)
    const inner = await below("a", "b")
    const path = join(folder, ".sealway", "env")
    expect(await findAt({ folder: inner })).toEqual({ app: "app_local", origin: path, foreign: null })
    await mkdir(join(folder, "a", ".sealway"))
    await writeFile(join(folder, "a", ".sealway", "env"), LOCAL.replace("app_local", "app_nearer"))
    expect((await findAt({ folder: inner })).app).toBe("app_nearer")
    expect((await findAt({ folder })).origin).toBe(join(".sealway", "env"))
  })

  test("is not searched above the home folder, or above the current folder where files have no owner", async () => {
    await writeLocal(LOCAL)
    const home = await below("home")
    const inner = await below("home", "project")
    expect((await findAt({ folder: inner, homeFolder: home })).app).toBeNull()
    expect((await findAt({ folder: inner })).app).toBe("app_local")
    expect((await findAt({ folder: inner, userId: null })).app).toBeNull()
    expect((await findAt({ folder, userId: null })).app).toBe("app_local")
  })

  test("is ignored and reported when another user owns it, and nothing above it is used", async () => {
    await writeLocal(LOCAL)
    const inner = await below("a")
    await mkdir(join(inner, ".sealway"))
    await writeFile(join(inner, ".sealway", "env"), LOCAL)
    const userId = (process.getuid?.() ?? 0) + 1
    const path = join(".sealway", "env")
    expect(await findAt({ folder: inner, userId })).toEqual({ app: null, origin: null, foreign: path })
    const settings = await findSettings(createTestHost({ folder: inner, userId }), {})
    expect(() => requireUrl(settings)).toThrow(
      expect.objectContaining({ exitCode: 2, details: [expect.stringContaining("another user")] }),
    )
  })

  test("is judged by the owner of a link's target, and not awaited when it is a pipe or a folder", async () => {
    await writeLocal(LOCAL)
    const inner = await realpath(await below("a"))
    await symlink(join(folder, ".sealway"), join(inner, ".sealway"))
    expect((await findAt({ folder: inner })).app).toBe("app_local")
    const piped = await below("b", ".sealway")
    execFileSync("mkfifo", [join(piped, "env")])
    expect((await findAt({ folder: join(piped, ".."), homeFolder: join(piped, "..") })).app).toBeNull()
    const nested = await below("c", ".sealway", "env")
    expect(
      (await findAt({ folder: join(nested, "..", ".."), homeFolder: join(nested, "..", "..") })).app,
    ).toBeNull()
  })
})

describe("an unused key", () => {
  const ignored = async (env: CliHost["env"] = {}, flags: { url?: string; app?: string } = {}) =>
    (await findSettings(hostWith(env), flags)).ignoredKeys

  test("is reported with what takes precedence", async () => {
    await writeProfile(hostWith(), PROFILE)
    expect(await ignored({ SEALWAY_API_KEY: "env-api-key" })).toEqual([
      {
        kind: "api-key",
        reason: `The API key from ${profilePath(hostWith())} is ignored: SEALWAY_API_KEY takes precedence.`,
      },
    ])
  })

  test("is reported with the address or the app that it is for", async () => {
    await writeProfile(hostWith(), PROFILE)
    const path = profilePath(hostWith())
    const elsewhere = `it is for ${PROFILE.url}, but this request goes to https://other.example.com`
    expect(await ignored({}, { url: "https://other.example.com" })).toEqual([
      { kind: "api-key", reason: `The API key from ${path} is ignored: ${elsewhere}.` },
      { kind: "team-key", reason: `The team key from ${path} is ignored: ${elsewhere}.` },
    ])
    expect(await ignored({}, { app: "app_other" })).toEqual([
      {
        kind: "api-key",
        reason: `The API key from ${path} is ignored: it belongs to app_profile, but --app is app_other.`,
      },
    ])
  })

  test("is neither reported when the same key is used, nor shown", async () => {
    await writeProfile(hostWith(), PROFILE)
    await writeLocal(LOCAL)
    expect(await ignored({ SEALWAY_API_KEY: PROFILE.apiKey, SEALWAY_URL: "http://127.0.0.1:7400" })).toEqual([
      expect.objectContaining({ kind: "api-key", reason: expect.stringContaining(join(".sealway", "env")) }),
      expect.objectContaining({ kind: "team-key" }),
    ])
    const told = JSON.stringify(
      await ignored({ SEALWAY_API_KEY: "env-api-key", SEALWAY_TEAM_KEY: "env-team-key" }),
    )
    expect(told).not.toMatch(/(env|local|profile)-(api|team)-key/)
  })
})

describe("the profile stored by `login`", () => {
  test("is readable only by its owner, in the configuration folder", async () => {
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

  test("is not used when it is damaged, and the message contains nothing of it", async () => {
    await writeProfile(hostWith(), PROFILE)
    await writeFile(profilePath(hostWith()), '{"apiKey": "secret-key"')
    await expect(readProfile(hostWith())).rejects.toMatchObject({
      code: "profile",
      message: expect.not.stringContaining("secret-key"),
    })
  })

  test("is stored below the home folder when XDG_CONFIG_HOME is not an absolute path", () => {
    const host = hostWith({ XDG_CONFIG_HOME: "config" })
    expect(profilePath(host)).toBe(join(folder, ".config", "sealway", "profile.json"))
  })
})

import {
  type ApiKeyRecord,
  type App,
  createApiKey,
  type Directory,
  hashApiKey,
  NO_CHOSEN_LIMITS,
  type Team,
} from "@sealway/accounts"
import { createTestKeyring } from "@sealway/keys/testing"
import { describe, expect, test } from "vitest"
import {
  type AuthScheme,
  apiKey,
  authorize,
  type IdentityServices,
  identify,
  teamKey,
} from "./authentication.ts"
import { KnownSender, type RequestHeaders } from "./sent-key.ts"

const team: Team = { id: "team_0000000000000000", name: "", createdAt: 0, revision: 1 }
const app: App = {
  id: "app_0000000000000000",
  teamId: team.id,
  name: "",
  environment: "sandbox",
  status: "enabled",
  allowedOrigins: [],
  cardInsights: false,
  sealing: "public-key",
  custody: "envelope",
  erasureDays: null,
  limits: NO_CHOSEN_LIMITS,
  createdAt: 0,
  revision: 1,
}
const key = createApiKey("sandbox")

function record(changes: Partial<ApiKeyRecord> = {}): ApiKeyRecord {
  return {
    id: "key_0000000000000000",
    name: "",
    hash: hashApiKey(key),
    kind: "sandbox",
    teamId: team.id,
    appId: app.id,
    scopes: ["api:decrypt"],
    limits: NO_CHOSEN_LIMITS,
    createdAt: 0,
    expiresAt: null,
    revokedAt: null,
    revision: 1,
    ...changes,
  }
}

const NOW_MS = 1_000

function services(found: ApiKeyRecord | null, changes: Partial<Directory> = {}): IdentityServices {
  const unused = () => Promise.reject(new Error("API keys are found without a keyring"))
  return {
    directory: {
      team: async () => team,
      app: async () => app,
      apiKey: async () => found,
      apiKeyById: async () => found,
      session: async () => null,
      forgetSession: () => undefined,
      roster: async () => null,
      ...changes,
    },
    keyring: {
      newest: unused,
      versions: unused,
      refreshedVersions: unused,
      peek: () => undefined,
      open: unused,
      addVersion: unused,
      ensureCustody: unused,
      subjects: createTestKeyring().subjects,
      forget: () => undefined,
    },
    wallClock: () => NOW_MS,
  }
}

async function authenticate<Principal>(
  schemes: readonly AuthScheme<Principal>[],
  sent: RequestHeaders,
  from: IdentityServices,
): Promise<Principal> {
  const identified = await identify(schemes, sent, from)
  authorize(identified)
  return identified.identity.principal
}

const headers = { "api-key": key }
const identifyKey = (found: ApiKeyRecord | null, changes?: Partial<Directory>) =>
  authenticate([apiKey("api:decrypt")], headers, services(found, changes))

describe("authentication", () => {
  test("identifies the app of a valid key that has the scope", async () => {
    expect(await identifyKey(record())).toEqual({
      app,
      apiKeyId: "key_0000000000000000",
      scopes: ["api:decrypt"],
    })
    expect(await identifyKey(record({ scopes: ["*"] }))).toMatchObject({ app })
    expect(await identifyKey(record({ expiresAt: NOW_MS + 1 }))).toMatchObject({ app })
  })

  test.each([
    ["is revoked", record({ revokedAt: 1 }), {}],
    ["has just expired", record({ expiresAt: NOW_MS }), {}],
    ["is not the one that was found", record({ hash: hashApiKey(createApiKey("sandbox")) }), {}],
    ["belongs to an app that is gone", record(), { app: async () => null }],
    [
      "belongs to an app that is disabled",
      record(),
      { app: async (): Promise<App> => ({ ...app, status: "disabled" }) },
    ],
    ["is not known", null, {}],
  ])("answers unauthorized when the key %s", async (_why, found, changes) => {
    await expect(identifyKey(found, changes)).rejects.toMatchObject({ code: "unauthorized" })
  })

  test.each([["api:inspect"], ["api:decrypt "], ["API:DECRYPT"], [""]])(
    "answers forbidden to a key that only has the scope %j",
    async (scope) => {
      await expect(identifyKey(record({ scopes: [scope] }))).rejects.toMatchObject({ code: "forbidden" })
    },
  )

  test("answers forbidden to a key of the wrong kind, whatever its scopes", async () => {
    const teamRecord = record({ kind: "team", appId: null, scopes: ["*"] })
    await expect(identifyKey(teamRecord)).rejects.toMatchObject({ code: "forbidden" })
    const asTeam = authenticate([teamKey()], headers, services(record({ scopes: ["*"] })))
    await expect(asTeam).rejects.toMatchObject({ code: "forbidden" })
  })

  test("identifies the team of a team key", async () => {
    const found = record({ kind: "team", appId: null, scopes: [] })
    expect(await authenticate([teamKey()], headers, services(found))).toMatchObject({ team })
  })

  test("answers unauthorized when the request has no credentials of any scheme", async () => {
    await expect(authenticate([apiKey()], {}, services(record()))).rejects.toMatchObject({
      code: "unauthorized",
    })
    const bearer = { authorization: `Bearer ${key}` }
    await expect(authenticate([apiKey()], bearer, services(record()))).rejects.toMatchObject({
      code: "unauthorized",
    })
  })
})

describe("a sender who was accepted on the same connection", () => {
  const basic = (sent: string) => ({
    authorization: `Basic ${Buffer.from(`${app.id}:${sent}`).toString("base64")}`,
  })
  const accepted = async () => {
    const sender = new KnownSender()
    await identify([apiKey()], basic(key), services(record()), sender)
    return sender
  }

  test("is known by the same credentials, and by no others", async () => {
    const sender = await accepted()
    expect(sender.recall(basic(key))).toMatchObject({ owner: app.id, key, hash: hashApiKey(key) })
    expect(sender.recall(basic(`${key.slice(0, -1)}-`))).toBeNull()
    expect(sender.recall({ "api-key": key })).toBeNull()
    expect(sender.recall({})).toBeNull()
  })

  test("takes no more memory than a usual header", async () => {
    const sender = new KnownSender()
    const { authorization } = basic(key)
    const long = { authorization: authorization.padEnd(257, "-") }
    await identify([apiKey()], long, services(record()), sender)
    expect(sender.recall(long)).toBeNull()
  })

  test.each([
    ["is revoked", record({ revokedAt: 1 })],
    ["has expired", record({ expiresAt: NOW_MS })],
    ["is gone", null],
    ["is another one now", record({ hash: hashApiKey(createApiKey("sandbox")) })],
    ["belongs to another app now", record({ appId: "app_1111111111111111" })],
  ])("is refused as soon as the key %s", async (_why, found) => {
    const sender = await accepted()
    await expect(
      (async () => identify([apiKey()], basic(key), services(found), sender))(),
    ).rejects.toMatchObject({ code: "unauthorized" })
  })

  test("is not taken for whoever sends another key", async () => {
    const sender = await accepted()
    const other = createApiKey("sandbox")
    const found = record({ id: "key_1111111111111111", hash: hashApiKey(other) })
    const { identity } = await identify([apiKey()], basic(other), services(found), sender)
    expect(identity).toMatchObject({ secret: other, actor: { id: found.id } })
  })

  test("is nobody while all were refused", async () => {
    const sender = new KnownSender()
    const refused = async () => identify([apiKey()], basic(key), services(null), sender)
    await expect(refused()).rejects.toMatchObject({ code: "unauthorized" })
    expect(sender.recall(basic(key))).toBeNull()
  })
})

import { describe, expect, test } from "vitest"
import { createApiKey, hashApiKey } from "./api-key.ts"
import { apiKey, authenticate, teamKey } from "./authentication.ts"
import type { Directory } from "./directory.ts"
import type { ApiKeyRecord, App, Team } from "./records.ts"

const team: Team = { id: "team_0000000000000000", name: "", createdAt: 0 }
const app: App = {
  id: "app_0000000000000000",
  teamId: team.id,
  name: "",
  environment: "sandbox",
  createdAt: 0,
}
const key = createApiKey("sandbox")

function record(changes: Partial<ApiKeyRecord> = {}): ApiKeyRecord {
  return {
    id: "key_0000000000000000",
    hash: hashApiKey(key),
    kind: "sandbox",
    teamId: team.id,
    appId: app.id,
    scopes: ["api:decrypt"],
    createdAt: 0,
    revokedAt: null,
    ...changes,
  }
}

function directory(found: ApiKeyRecord | null, changes: Partial<Directory> = {}): Directory {
  return { team: async () => team, app: async () => app, apiKey: async () => found, ...changes }
}

const headers = { "api-key": key }
const identify = (found: ApiKeyRecord | null, changes?: Partial<Directory>) =>
  authenticate([apiKey("api:decrypt")], headers, directory(found, changes))

describe("authenticate", () => {
  test("names the app of a key in force that has the scope", async () => {
    expect(await identify(record())).toEqual({ app, apiKeyId: "key_0000000000000000" })
    expect(await identify(record({ scopes: ["*"] }))).toMatchObject({ app })
  })

  test.each([
    ["is revoked", record({ revokedAt: 1 }), {}],
    ["is not the one that was found", record({ hash: hashApiKey(createApiKey("sandbox")) }), {}],
    ["belongs to an app that is gone", record(), { app: async () => null }],
    ["is not known", null, {}],
  ])("answers unauthorized when the key %s", async (_why, found, changes) => {
    await expect(identify(found, changes)).rejects.toMatchObject({ code: "unauthorized" })
  })

  test.each([["api:inspect"], ["api:decrypt "], ["API:DECRYPT"], [""]])(
    "answers forbidden to a key with the scope %j only",
    async (scope) => {
      await expect(identify(record({ scopes: [scope] }))).rejects.toMatchObject({ code: "forbidden" })
    },
  )

  test("answers forbidden to a key of the wrong kind, whatever its scopes", async () => {
    const teamRecord = record({ kind: "team", appId: null, scopes: ["*"] })
    await expect(identify(teamRecord)).rejects.toMatchObject({ code: "forbidden" })
    const asTeam = authenticate([teamKey()], headers, directory(record({ scopes: ["*"] })))
    await expect(asTeam).rejects.toMatchObject({ code: "forbidden" })
  })

  test("names the team of a team key", async () => {
    const found = record({ kind: "team", appId: null, scopes: [] })
    expect(await authenticate([teamKey()], headers, directory(found))).toMatchObject({ team })
  })

  test("answers unauthorized when a request carries nothing that any scheme knows", async () => {
    await expect(authenticate([apiKey()], {}, directory(record()))).rejects.toMatchObject({
      code: "unauthorized",
    })
    const bearer = { authorization: `Bearer ${key}` }
    await expect(authenticate([apiKey()], bearer, directory(record()))).rejects.toMatchObject({
      code: "unauthorized",
    })
  })
})

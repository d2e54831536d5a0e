import { type ApiKeyRecord, NO_CHOSEN_LIMITS } from "@sealway/accounts"
import { TEST_APP } from "@sealway/accounts/testing"
import type { IdentityServices } from "@sealway/http"
import { processTurns } from "@sealway/kernel"
import { createTestKeyring } from "@sealway/keys/testing"
import { RANDOM_DRAWS } from "@sealway/ports"
import { SignJWT } from "jose"
import { describe, expect, test } from "vitest"
import * as z from "zod"
import { type BoundTokenKind, identifyBoundToken, issueBoundToken } from "./bound-token.ts"
import { hashPayload } from "./payload-hash.ts"

const APP = { ...TEST_APP, id: "app_0000000000001" }
const NOW_MS = 1_700_000_000_000
const EXPIRY_MS = NOW_MS + 60_500
const PAYLOAD = { card: "ev:x" }
const KIND: BoundTokenKind<{ action: string }> = {
  purpose: "client-side-token",
  idPrefix: "client_side_token",
  carriers: ["token", "bearer"],
  claims: z.object({ action: z.string() }),
}
const RUN_KIND: BoundTokenKind<{ action: string }> = { ...KIND, purpose: "run-token", carriers: ["runtoken"] }
const API_KEY: ApiKeyRecord = {
  id: "key_1",
  name: "A key",
  hash: "",
  kind: "sandbox",
  teamId: APP.teamId,
  appId: APP.id,
  scopes: ["*"],
  limits: NO_CHOSEN_LIMITS,
  createdAt: 0,
  expiresAt: null,
  revokedAt: null,
  revision: 1,
}

async function setUp(changes: Partial<IdentityServices["directory"]> = {}) {
  const keyring = createTestKeyring()
  await keyring.addVersion(APP)
  const clock = { ms: NOW_MS }
  const services: IdentityServices = {
    keyring,
    wallClock: () => clock.ms,
    directory: {
      team: async () => null,
      app: async (id) => (id === APP.id ? APP : null),
      apiKey: async () => null,
      apiKeyById: async (_owner, id) => (id === API_KEY.id ? API_KEY : null),
      session: async () => null,
      forgetSession: () => undefined,
      roster: async () => null,
      ...changes,
    },
  }
  const issue = async (apiKeyId = API_KEY.id) => {
    const wanted = { payload: PAYLOAD, claims: { action: "api:decrypt" }, apiKeyId, createdAt: NOW_MS }
    return issueBoundToken(KIND, { keyring, draws: RANDOM_DRAWS }, APP, {
      ...wanted,
      turns: processTurns,
      expiry: EXPIRY_MS,
    })
  }
  /** Signs a token with the app's own key that differs from an issued one in the given claims. */
  const sign = async (claims: object = {}, header: object = {}) => {
    const { version, deriveKey } = await keyring.newest(APP, "secret")
    const issued = {
      action: "api:decrypt",
      apiKey: API_KEY.id,
      payload: hashPayload(PAYLOAD),
      iss: "sealway",
      aud: APP.id,
      jti: "client_side_token_1",
      exp: EXPIRY_MS / 1000,
    }
    return new SignJWT({ ...issued, ...claims })
      .setProtectedHeader({ alg: "HS256", typ: "JWT", kid: String(version), ...header })
      .sign(deriveKey("client-side-token"))
  }
  const identify = (authorization: string | undefined, kind = KIND) =>
    identifyBoundToken(kind, { ...(authorization !== undefined && { authorization }) }, services)
  return { clock, issue, sign, identify }
}

const UNAUTHORIZED = { code: "unauthorized" }

describe("a bound token", () => {
  test("reveals its app, API key, payload and expiry to the millisecond", async () => {
    const { issue, identify } = await setUp()
    const { id, token } = await issue()
    expect(await identify(`Token ${token}`)).toMatchObject({
      id,
      claims: { action: "api:decrypt" },
      expiry: EXPIRY_MS,
      identity: {
        principal: { app: APP, apiKeyId: API_KEY.id, scopes: ["*"], payloadHash: hashPayload(PAYLOAD) },
        secret: token,
      },
    })
  })

  test("contains its time of issue, in seconds", async () => {
    const { token } = await (await setUp()).issue()
    const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString())
    expect(claims).toMatchObject({ iat: NOW_MS / 1000, exp: EXPIRY_MS / 1000, iss: "sealway", aud: APP.id })
  })

  test.each(["Token", "token", "BEARER"])("is accepted after %s", async (carrier) => {
    const { issue, identify } = await setUp()
    expect(await identify(`${carrier} ${(await issue()).token}`)).not.toBeNull()
  })

  test("is left to other schemes after another word, and when there is none", async () => {
    const { issue, identify } = await setUp()
    const { token } = await issue()
    for (const other of [undefined, "", `Basic ${token}`, `RunToken ${token}`, token]) {
      expect(await identify(other)).toBeNull()
    }
  })

  test("expires to the millisecond", async () => {
    const { clock, issue, identify } = await setUp()
    const { token } = await issue()
    clock.ms = EXPIRY_MS - 1
    expect(await identify(`Token ${token}`)).not.toBeNull()
    clock.ms = EXPIRY_MS
    await expect(identify(`Token ${token}`)).rejects.toMatchObject(UNAUTHORIZED)
  })
})

describe("a bound token is refused with unauthorized", () => {
  test("when it is empty or has trailing characters", async () => {
    const { issue, identify } = await setUp()
    const { token } = await issue()
    for (const text of ["Token ", "Token", `Token ${token} `, `Token ${token} x`]) {
      await expect(identify(text)).rejects.toMatchObject(UNAUTHORIZED)
    }
  })

  test("when it has more than 1,024 characters, despite a correct signature", async () => {
    const { sign, identify } = await setUp()
    const base = (await sign({ pad: "" })).length
    // Three bytes of a claim take four characters of the token.
    const longest = await sign({ pad: "x".repeat(Math.floor(((1_024 - base) * 3) / 4)) })
    expect(longest.length).toBeLessThanOrEqual(1_024)
    expect(longest.length).toBeGreaterThan(1_020)
    expect(await identify(`Token ${longest}`)).not.toBeNull()
    const longer = await sign({ pad: "x".repeat(Math.ceil(((1_025 - base) * 3) / 4)) })
    await expect(identify(`Token ${longer}`)).rejects.toMatchObject(UNAUTHORIZED)
  })

  test("when its API key does not exist, is revoked or has expired", async () => {
    const unknown = await setUp()
    const { token } = await unknown.issue("key_2")
    await expect(unknown.identify(`Token ${token}`)).rejects.toMatchObject(UNAUTHORIZED)
    for (const ended of [{ revokedAt: 1 }, { expiresAt: NOW_MS }]) {
      const { issue, identify } = await setUp({ apiKeyById: async () => ({ ...API_KEY, ...ended }) })
      await expect(identify(`Token ${(await issue()).token}`)).rejects.toMatchObject(UNAUTHORIZED)
    }
  })

  test("when it is of another kind, which has a different key", async () => {
    const { issue, identify } = await setUp()
    await expect(identify(`RunToken ${(await issue()).token}`, RUN_KIND)).rejects.toMatchObject(UNAUTHORIZED)
  })

  test.each([
    ["another issuer", { iss: "somebody" }, {}],
    ["no issuer", { iss: undefined }, {}],
    ["several apps", { aud: [APP.id, "app_2"] }, {}],
    ["what is no app's id", { aud: "nobody" }, {}],
    ["no expiry", { exp: undefined }, {}],
    ["a beginning that is still to come", { nbf: NOW_MS / 1000 + 3_600 }, {}],
    ["no payload", { payload: undefined }, {}],
    ["no API key", { apiKey: undefined }, {}],
    ["no id", { jti: undefined }, {}],
    ["other claims than its kind has", { action: 1 }, {}],
    ["another type", {}, { typ: "at+jwt" }],
    ["no type", {}, { typ: undefined }],
    ["a key version that the app does not have", {}, { kid: "2" }],
    ["a key version with a leading zero", {}, { kid: "01" }],
    ["no key version", {}, { kid: undefined }],
  ])("when it names %s, despite a correct signature", async (_, claims, header) => {
    const { sign, identify } = await setUp()
    expect(await identify(`Token ${await sign()}`)).not.toBeNull()
    await expect(identify(`Token ${await sign(claims, header)}`)).rejects.toMatchObject(UNAUTHORIZED)
  })

  // Except the last one, which holds two insignificant bits.
  test("when any of its characters is changed", async () => {
    const { issue, identify } = await setUp()
    const { token } = await issue()
    for (let at = 0; at < token.length - 1; at += 7) {
      const changed = `${token.slice(0, at)}${token[at] === "x" ? "y" : "x"}${token.slice(at + 1)}`
      await expect(identify(`Token ${changed}`), String(at)).rejects.toMatchObject(UNAUTHORIZED)
    }
  })
})

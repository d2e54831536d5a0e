import { grantsScope, REVEALS, SCOPES, type Scope, type SessionRule, sessionRuleOf } from "@sealway/accounts"
import { createService } from "@sealway/api"
import { SCOPE_GROUPS } from "@sealway/dashboard/scopes"
import { beforeAll, describe, expect, test, vi } from "vitest"
import * as z from "zod"
import { expectProblem } from "../support/problem.ts"
import { type CallOptions, useService } from "../support/service.ts"

const service = useService()
type Auth = NonNullable<CallOptions["auth"]>

const keySchema = z.object({ id: z.string(), key: z.string(), scopes: z.array(z.string()) })

/** The scope that each endpoint requires; endpoints that anybody may call are left out. */
const EXPECTED: Readonly<Record<string, Readonly<Record<string, Scope | null>>>> = {
  "get-team": { "team-key": null },
  "update-team": { "team-key": null },
  "create-team-key": { "team-key": null },
  "list-team-keys": { "team-key": null },
  "revoke-team-key": { "team-key": null },
  "create-app": { "team-key": null },
  "list-apps": { "team-key": null },
  "get-app": { "team-key": null },
  "update-app": { "team-key": null },
  "create-api-key": { "team-key": null },
  "list-api-keys": { "team-key": null },
  "narrow-api-key": { "team-key": null },
  "rotate-api-key": { "team-key": null },
  "revoke-api-key": { "team-key": null },
  "list-audit-logs": { "team-key": null },
  "list-members": { "team-key": null },
  "get-member": { "team-key": null },
  "update-member": { "team-key": null },
  "delete-member": { "team-key": null },
  "create-invitation": { "team-key": null },
  "list-invitations": { "team-key": null },
  "revoke-invitation": { "team-key": null },
  "list-member-sessions": { "team-key": null },
  "revoke-member-session": { "team-key": null },
  "get-session": { session: null },
  "renew-session": { session: null },
  "list-sessions": { session: null },
  "revoke-session": { session: null },
  "create-sign-in-link": { "team-key": null },
  "list-access-logs": { "api-key": "accessLog:read" },
  "get-stats": { "api-key": "stats:read" },
  "list-key-versions": { "team-key": null },
  "rotate-keys": { "team-key": null },

  "create-card-insight": { "api-key": "insights:create" },
  "create-bin-lookup": { "api-key": "binLookup:create" },
  "create-par-lookup": { "api-key": "parLookup:create" },
  "create-3ds-session": { "api-key": "threeDSSession:create" },
  "list-3ds-sessions": { "api-key": "threeDSSession:read" },
  "get-3ds-session": { "api-key": "threeDSSession:read" },
  "list-3ds-messages": { "api-key": "threeDSSession:read" },
  "create-bin-table": { "team-key": null },
  "list-bin-tables": { "team-key": null },
  "get-bin-table": { "team-key": null },
  "put-bin-table-rows": { "team-key": null },
  "activate-bin-table": { "team-key": null },
  "delete-bin-table": { "team-key": null },

  encrypt: { "api-key": null },
  "get-keys": { "api-key": null },
  "get-relay-outbound": { "api-key": null },

  decrypt: { "api-key": "api:decrypt", "client-side-token": "api:decrypt" },
  reveal: { "client-side-token": "api:decrypt" },
  "create-client-side-token": { "api-key": "api:decrypt" },
  fingerprint: { "api-key": "api:fingerprint" },
  inspect: { "api-key": "api:inspect" },
  rewrap: { "api-key": "api:rewrap" },

  "create-enclave": { "api-key": "enclave:create" },
  "list-enclaves": { "api-key": "enclave:list" },
  "get-enclave": { "api-key": "enclave:read" },
  "delete-enclave": { "api-key": "enclave:delete" },
  "create-honey-token": { "api-key": "honeyToken:create" },
  "list-honey-tokens": { "api-key": "honeyToken:list" },
  "get-honey-token": { "api-key": "honeyToken:read" },
  "delete-honey-token": { "api-key": "honeyToken:delete" },
  "list-honey-touches": { "api-key": "honeyToken:read" },
  "create-format": { "api-key": "format:create" },
  "list-formats": { "api-key": "format:list" },
  "get-format": { "api-key": "format:read" },
  "update-format": { "api-key": "format:update" },
  "rotate-format": { "api-key": "format:rotate" },
  "encrypt-format": { "api-key": "format:encrypt" },
  "decrypt-format": { "api-key": "format:decrypt" },
  "rewrap-format": { "api-key": "format:rewrap" },
  "create-file": { "api-key": "file:create" },
  "create-file-key": { "api-key": "file:create" },
  "create-file-part-urls": { "api-key": "file:create" },
  "list-file-parts": { "api-key": "file:create" },
  "complete-file": { "api-key": "file:create" },
  "list-files": { "api-key": "file:list" },
  "get-file": { "api-key": "file:read" },
  "delete-file": { "api-key": "file:delete" },
  "decrypt-file": { "api-key": "api:decrypt" },
  "list-data-subjects": { "api-key": "dataSubject:list" },
  "get-data-subject": { "api-key": "dataSubject:read" },
  "get-data-subject-key": { "api-key": null },
  "delete-data-subject": { "api-key": "dataSubject:delete" },
  "restore-data-subject": { "api-key": "dataSubject:restore" },
  "decrypt-for-enclave": { "api-key": "api:decrypt", enclave: "api:decrypt" },
  "create-data-role": { "api-key": "dataRole:create" },
  "list-data-roles": { "api-key": "dataRole:list" },
  "get-data-role": { "api-key": "dataRole:read" },
  "get-data-role-access": { "api-key": "dataPolicy:read" },
  "update-data-role": { "api-key": "dataRole:update" },
  "delete-data-role": { "api-key": "dataRole:delete" },
  "create-data-policy": { "api-key": "dataPolicy:create" },
  "list-data-policies": { "api-key": "dataPolicy:list" },
  "get-data-policy-schema": { "api-key": "dataPolicy:read" },
  "get-data-policy": { "api-key": "dataPolicy:read" },
  "update-data-policy": { "api-key": "dataPolicy:update" },
  "delete-data-policy": { "api-key": "dataPolicy:delete" },
  "explain-data-policies": { "api-key": "dataPolicy:read" },
  "simulate-data-policies": { "api-key": "dataPolicy:read" },
  "analyze-data-policies": { "api-key": "dataPolicy:read" },

  "create-webhook-endpoint": { "api-key": "webhookEndpoint:create" },
  "list-webhook-endpoints": { "api-key": "webhookEndpoint:list" },
  "get-webhook-endpoint": { "api-key": "webhookEndpoint:read" },
  "update-webhook-endpoint": { "api-key": "webhookEndpoint:update" },
  "delete-webhook-endpoint": { "api-key": "webhookEndpoint:delete" },
  "rotate-webhook-secret": { "api-key": "webhookEndpoint:update" },
  "test-webhook-endpoint": { "api-key": "webhookEndpoint:test" },
  "list-webhook-events": { "api-key": "webhookEvent:list" },
  "get-webhook-event": { "api-key": "webhookEvent:read" },
  "replay-webhook-event": { "api-key": "webhookEvent:replay" },
  "trigger-webhook-event": { "api-key": "webhookEvent:trigger" },
  "create-webhook-listener": { "api-key": "webhookEvent:listen" },
  "fetch-webhook-events": { "api-key": "webhookEvent:listen" },
  "delete-webhook-listener": { "api-key": "webhookEvent:listen" },

  "deploy-function": { "api-key": "function:create" },
  "list-functions": { "api-key": "function:list" },
  "get-function": { "api-key": "function:read" },
  "delete-function": { "api-key": "function:delete" },
  "run-function": { "api-key": "function:run", "run-token": "function:run" },
  "run-bare-payload": { "api-key": "function:run", "run-token": "function:run" },
  "list-function-runs": { "api-key": "functionRun:list" },
  "get-function-run": { "api-key": "functionRun:read" },
  "delete-function-run": { "api-key": "functionRun:delete" },
  "list-function-logs": { "api-key": "functionLog:list" },
  "create-run-token": { "api-key": "function:run" },
  "create-run-token-v2": { "api-key": "function:run" },
  "get-callback-secret": { "api-key": "callbackSecret:read" },

  "create-relay": { "api-key": "relay:create" },
  "list-relays": { "api-key": "relay:list" },
  "get-relay": { "api-key": "relay:read" },
  "update-relay": { "api-key": "relay:update" },
  "delete-relay": { "api-key": "relay:delete" },
  "test-relay": { "api-key": "relay:test" },
  "list-relay-activity": { "api-key": "relayActivity:list" },
  "get-relay-activity": { "api-key": "relayActivity:read" },
  "create-relay-alert": { "api-key": "relayAlert:create" },
  "list-relay-alerts": { "api-key": "relayAlert:list" },
  "get-relay-alert": { "api-key": "relayAlert:read" },
  "update-relay-alert": { "api-key": "relayAlert:update" },
  "delete-relay-alert": { "api-key": "relayAlert:delete" },
  "test-relay-alert": { "api-key": "relayAlert:test" },
  "create-relay-custom-domain": { "api-key": "relayCustomDomain:create" },
  "list-relay-custom-domains": { "api-key": "relayCustomDomain:list" },
  "get-relay-custom-domain": { "api-key": "relayCustomDomain:read" },
  "verify-relay-custom-domain": { "api-key": "relayCustomDomain:verify" },
  "delete-relay-custom-domain": { "api-key": "relayCustomDomain:delete" },

  "create-merchant": { "api-key": "merchant:create" },
  "list-merchants": { "api-key": "merchant:read" },
  "get-merchant": { "api-key": "merchant:read" },
  "update-merchant": { "api-key": "merchant:update" },
  "delete-merchant": { "api-key": "merchant:delete" },
  "create-network-token": { "api-key": "networkToken:create" },
  "list-network-tokens": { "api-key": "networkToken:read" },
  "get-network-token": { "api-key": "networkToken:read" },
  "delete-network-token": { "api-key": "networkToken:delete" },
  "create-cryptogram": { "api-key": "networkToken:createCryptogram" },
  "get-card-art": { "api-key": "networkToken:read" },
  "simulate-network-token-update": { "api-key": "networkToken:create" },
  "create-card-subscription": { "api-key": "accountUpdater:subscribe" },
  "list-card-subscriptions": { "api-key": "accountUpdater:read" },
  "get-card-subscription": { "api-key": "accountUpdater:read" },
  "delete-card-subscription": { "api-key": "accountUpdater:delete" },
  "simulate-account-update": { "api-key": "accountUpdater:subscribe" },
  "create-retry-enrolment": { "api-key": "retryEnrolment:create" },
  "list-retry-enrolments": { "api-key": "retryEnrolment:read" },
  "get-retry-enrolment": { "api-key": "retryEnrolment:read" },
  "delete-retry-enrolment": { "api-key": "retryEnrolment:delete" },
  "create-retry-watch": { "api-key": "retryEnrolment:create" },
  "list-retry-watches": { "api-key": "retryEnrolment:read" },
  "get-retry-watch": { "api-key": "retryEnrolment:read" },
  "delete-retry-watch": { "api-key": "retryEnrolment:delete" },
  "simulate-retry-signal": { "api-key": "retryEnrolment:create" },
  "list-pre-chargeback-alerts": { "api-key": "preChargebackAlert:read" },
  "get-pre-chargeback-alert": { "api-key": "preChargebackAlert:read" },
  "update-pre-chargeback-alert": { "api-key": "preChargebackAlert:update" },
  "simulate-pre-chargeback-alert": { "api-key": "preChargebackAlert:update" },
  "register-card": { "api-key": "card:create" },
  "list-cards": { "api-key": "card:read" },
  "get-card": { "api-key": "card:read" },
  "delete-card": { "api-key": "card:delete" },
  "simulate-card-update": { "api-key": "card:create" },
  "create-acquirer": { "api-key": "acquirer:create" },
  "list-acquirers": { "api-key": "acquirer:read" },
  "get-acquirer": { "api-key": "acquirer:read" },
  "update-acquirer": { "api-key": "acquirer:update" },
  "delete-acquirer": { "api-key": "acquirer:delete" },
  "set-connector": { "team-key": null },
  "get-connector": { "team-key": null },
  "delete-connector": { "team-key": null },
  "rotate-connector-secret": { "team-key": null },
  "test-connector": { "team-key": null },
  "get-sandbox-values": { "api-key": null },
}

const endpoints = () => createService(service.service.platform).endpoints.map(({ endpoint }) => endpoint)

/** Sends a request of which only the credentials are read before it is refused. */
function knock(method: string, template: string, auth: Auth) {
  const path = template
    .replaceAll("{app_id}", service.sandbox.app.id)
    .replaceAll("{team_id}", service.team.id)
    .replaceAll(/\{[a-z_]+\}/g, "nothing")
  if (method === "GET") return service.get(path, { auth })
  if (method === "DELETE") return service.delete(path, { auth })
  const contentType = path.endsWith("/rows") ? "application/x-ndjson" : "application/json"
  return service.call(method, path, "{", { auth, contentType })
}

describe("every endpoint that requires credentials", () => {
  const keyWithout = new Map<Scope | null, Auth>()
  beforeAll(async () => {
    const { app } = service.sandbox
    keyWithout.set(null, await service.newKey(app, []))
    for (const scope of SCOPES) {
      const others = SCOPES.filter((each) => !grantsScope([each], scope))
      keyWithout.set(scope, await service.newKey(app, others))
    }
  })

  test("requires the scope of the table", () => {
    const asked = endpoints()
      .filter(({ auth }) => auth.length > 0)
      .map(({ id, auth }) => [id, Object.fromEntries(auth.map(({ name, scope }) => [name, scope]))])
    expect(Object.fromEntries(asked)).toEqual(EXPECTED)
  })

  test("refuses with forbidden a key with every scope except those that grant access", async () => {
    for (const { id, method, path, auth } of endpoints()) {
      const scope = auth.find(({ name }) => name === "api-key")?.scope ?? null
      const credentials = keyWithout.get(scope)
      if (scope === null || credentials === undefined) continue
      const { status, json } = await knock(method, path, credentials)
      expect({ id, status, json }).toMatchObject({ id, status: 403, json: { code: "forbidden" } })
    }
  })

  test("accepts a key with only the scope it requires", async () => {
    const { app } = service.sandbox
    for (const { id, method, path, auth } of endpoints()) {
      const scope = auth.find(({ name }) => name === "api-key")?.scope ?? null
      if (scope === null) continue
      const { status } = await knock(method, path, await service.newKey(app, [scope]))
      expect({ id, isRefused: status === 401 || status === 403 }).toEqual({ id, isRefused: false })
    }
  })

  test("refuses with forbidden a key without scopes, except for encrypting and reading public data", async () => {
    const credentials = keyWithout.get(null)
    if (credentials === undefined) throw new Error("There is no key without scopes")
    const admitted: string[] = []
    for (const { id, method, path, auth } of endpoints()) {
      // Client-side tokens have no scopes of their own: their key has.
      const takesKeys = auth.some(({ name }) => name.endsWith("-key"))
      if (takesKeys && (await knock(method, path, credentials)).status !== 403) admitted.push(id)
    }
    expect(admitted.sort()).toEqual([
      "encrypt",
      "get-data-subject-key",
      "get-keys",
      "get-relay-outbound",
      "get-sandbox-values",
    ])
  })

  test("refuses with forbidden an app's key where a team key is required, even with all scopes", async () => {
    for (const { id, method, path, auth } of endpoints()) {
      if (auth[0]?.name !== "team-key") continue
      const { status } = await knock(method, path, service.sandbox.auth)
      expect({ id, status }).toEqual({ id, status: 403 })
    }
  })
})

describe("a scope that members may have by their role", () => {
  const BY_STRICTNESS: readonly SessionRule[] = ["any", "writers", "sandbox", "never"]

  test("is for the sessions that get everything its endpoints reveal", () => {
    const strictest = new Map<Scope, SessionRule>()
    for (const { auth, reveals } of endpoints()) {
      const { sessions } = REVEALS[reveals]
      for (const { scope } of auth) {
        if (scope === null) continue
        const known = strictest.get(scope) ?? "any"
        strictest.set(
          scope,
          BY_STRICTNESS.indexOf(sessions) > BY_STRICTNESS.indexOf(known) ? sessions : known,
        )
      }
    }
    const derived = SCOPES.map((scope) => [scope, strictest.get(scope) ?? "any"])
    expect(SCOPES.map((scope) => [scope, sessionRuleOf(scope)])).toEqual(derived)
  })
})

describe("a scope from before the split into one scope per operation", () => {
  /** What each scope granted before the split: the endpoints that a key with it alone may call. */
  const UNIONS: Readonly<Partial<Record<Scope, readonly string[]>>> = {
    "enclave:read": ["list-enclaves", "get-enclave"],
    "enclave:write": ["create-enclave", "delete-enclave"],
    "honeyToken:read": ["list-honey-tokens", "get-honey-token", "list-honey-touches"],
    "honeyToken:write": ["create-honey-token", "delete-honey-token"],
    "file:read": ["list-files", "get-file"],
    "file:write": [
      ...["create-file", "create-file-key", "create-file-part-urls", "list-file-parts", "complete-file"],
      "delete-file",
    ],
    "dataSubject:read": ["list-data-subjects", "get-data-subject"],
    "dataSubject:write": ["delete-data-subject", "restore-data-subject"],
    "dataRole:read": ["list-data-roles", "get-data-role"],
    "dataRole:write": ["create-data-role", "update-data-role", "delete-data-role"],
    "dataPolicy:read": [
      ...["list-data-policies", "get-data-policy-schema", "get-data-policy"],
      ...["explain-data-policies", "simulate-data-policies", "analyze-data-policies"],
      "get-data-role-access",
    ],
    "dataPolicy:write": ["create-data-policy", "update-data-policy", "delete-data-policy"],
    "webhook:read": [
      ...["list-webhook-endpoints", "get-webhook-endpoint"],
      ...["list-webhook-events", "get-webhook-event"],
    ],
    "webhook:write": [
      ...["create-webhook-endpoint", "update-webhook-endpoint", "delete-webhook-endpoint"],
      ...["rotate-webhook-secret", "test-webhook-endpoint", "replay-webhook-event"],
    ],
    "function:read": [
      ...["list-functions", "get-function"],
      ...["list-function-runs", "get-function-run", "list-function-logs"],
    ],
    "function:write": ["deploy-function", "delete-function", "get-callback-secret"],
    "relay:read": [
      ...["list-relays", "get-relay", "test-relay", "list-relay-activity", "get-relay-activity"],
      ...["list-relay-alerts", "get-relay-alert"],
      ...["list-relay-custom-domains", "get-relay-custom-domain"],
    ],
    "relay:write": [
      ...["create-relay", "update-relay", "delete-relay"],
      ...["create-relay-alert", "update-relay-alert", "delete-relay-alert", "test-relay-alert"],
      ...["create-relay-custom-domain", "verify-relay-custom-domain", "delete-relay-custom-domain"],
    ],
  }

  test.each(Object.entries(UNIONS))("%s grants what it granted before, and nothing else", (union, ids) => {
    const granted = endpoints().filter(({ auth }) =>
      auth.some(({ name, scope }) => name === "api-key" && scope !== null && grantsScope([union], scope)),
    )
    expect(granted.map(({ id }) => id).sort()).toEqual([...ids].sort())
  })

  test("leaves every other scope with at least one endpoint that requires it by name", () => {
    for (const scope of SCOPES.filter((each) => UNIONS[each] === undefined)) {
      const asked = endpoints().flatMap(({ auth }) => auth.map((each) => each.scope ?? ""))
      const granted = asked.filter((each) =>
        SCOPES.some((known) => known === each && grantsScope([scope], known)),
      )
      expect({ scope, granted: [...new Set(granted)] }).toEqual({ scope, granted: [scope] })
    }
  })
})

describe("narrowing an API key", () => {
  const path = () => `/apps/${service.sandbox.app.id}/api-keys`
  const asTeam = () => ({ auth: service.team.auth })
  const issue = async (scopes: readonly string[]) =>
    keySchema.parse((await service.post(path(), { name: "Key", scopes }, asTeam())).json)

  test.each([
    [["api:decrypt"], ["api:decrypt", "function:run"], "/scopes/1"],
    [["api:decrypt"], ["*"], "/scopes/0"],
    [[], ["function:run"], "/scopes/0"],
    [["*"], ["api:everything"], "/scopes/0"],
  ])(
    "from %j to %j is refused with invalid-request: it would grant the key something",
    async (scopes, wanted, pointer) => {
      const { id } = await issue(scopes)
      const answer = await service.patch(`${path()}/${id}`, { scopes: wanted }, asTeam())
      expectProblem(answer, "invalid-request")
      expect(answer.json).toMatchObject({ fields: [{ pointer }] })
    },
  )

  test("from all scopes to a few leaves those few", async () => {
    const { id, key } = await issue(["*"])
    const answer = await service.patch(`${path()}/${id}`, { scopes: ["api:inspect"] }, asTeam())
    expect([answer.status, answer.json]).toMatchObject([200, { scopes: ["api:inspect"] }])
    const auth = { user: service.sandbox.app.id, key }
    expectProblem(await service.post("/decrypt", '"x"', { auth }), "forbidden")
  })

  test("takes effect within 10 seconds, is audited, and holds for the key's successor too", async () => {
    vi.useFakeTimers({ toFake: ["performance"] })
    vi.advanceTimersByTime(1)
    try {
      const { id, key } = await issue(["api:decrypt", "function:run"])
      // Not found to every key that may run functions: no function has this name.
      const run = (used: string) =>
        service.post(
          "/functions/nothing/runs",
          { payload: {} },
          { auth: { user: service.sandbox.app.id, key: used } },
        )
      expectProblem(await run(key), "not-found")
      const narrowed = await service.patch(`${path()}/${id}`, { scopes: ["api:decrypt"] }, asTeam())
      expect([narrowed.status, narrowed.json]).toMatchObject([200, { id, scopes: ["api:decrypt"] }])
      vi.advanceTimersByTime(10_001)
      expectProblem(await run(key), "forbidden")
      const { json } = await service.get("/audit-logs?action=api-key.narrow&limit=1", asTeam())
      expect(json).toMatchObject({
        data: [
          {
            target: { type: "api-key", id },
            details: { scopes: "api:decrypt", scopesBefore: "api:decrypt function:run" },
          },
        ],
      })
      const rotated = keySchema.parse((await service.post(`${path()}/${id}/rotate`, {}, asTeam())).json)
      expectProblem(await run(rotated.key), "forbidden")
    } finally {
      vi.useRealTimers()
    }
  })

  test("is refused for a key that is revoked, another app's or missing, and without a team key", async () => {
    const { id } = await issue(["api:decrypt"])
    const other = await service.newApp("sandbox")
    const none = { scopes: [] }
    expectProblem(await service.patch(`/apps/${other.app.id}/api-keys/${id}`, none, asTeam()), "not-found")
    expectProblem(await service.patch(`${path()}/key_nothing`, none, asTeam()), "not-found")
    expectProblem(await service.patch(`${path()}/${id}`, none), "forbidden")
    expectProblem(await service.patch(`${path()}/${id}`, none, { auth: null }), "unauthorized")
    await service.delete(`${path()}/${id}`, asTeam())
    expectProblem(await service.patch(`${path()}/${id}`, none, asTeam()), "conflict")
  })
})

test("the dashboard offers every scope that no wider one includes", () => {
  const offered: readonly string[] = SCOPE_GROUPS.flatMap(({ items }) => items)
  const isIncluded = (scope: Scope) => SCOPES.some((each) => each !== scope && grantsScope([each], scope))
  expect(SCOPES.filter((scope) => !isIncluded(scope) && !offered.includes(scope))).toEqual([])
})

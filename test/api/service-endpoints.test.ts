import { createService } from "@sealway/api"
import { describe, expect, test } from "vitest"
import { useService } from "../support/service.ts"

const service = useService()

interface OpenApi {
  openapi: string
  paths: Record<
    string,
    Record<string, { responses: Record<string, unknown>; security: unknown[]; requestBody?: unknown }>
  >
}

describe("GET /openapi.json", () => {
  test("describes every endpoint with its parameters, answers and credentials", async () => {
    const answer = await service.get("/openapi.json", { auth: null })
    expect(answer.status).toBe(200)
    const { openapi, paths } = answer.json as OpenApi
    expect(openapi).toBe("3.1.1")
    expect(
      Object.entries(paths)
        .flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`))
        .sort(),
    ).toEqual([
      "delete /apps/{app_id}/api-keys/{key_id}",
      "delete /apps/{app_id}/connector",
      "delete /data-policies/{policy_id}",
      "delete /data-roles/{role_id}",
      "delete /data-subjects/{data_subject_id}",
      "delete /enclaves/{enclave_id}",
      "delete /files/{file_id}",
      "delete /functions/{function_name}",
      "delete /functions/{function_name}/runs/{run_id}",
      "delete /honey-tokens/{honey_token_id}",
      "delete /invitations/{invitation_id}",
      "delete /members/{member_id}",
      "delete /members/{member_id}/sessions/{session_id}",
      "delete /payments/account-updater/subscriptions/{subscription_id}",
      "delete /payments/acquirers/{acquirer_id}",
      "delete /payments/bin-tables/{bin_table_id}",
      "delete /payments/cards/{card_id}",
      "delete /payments/merchants/{merchant_id}",
      "delete /payments/merchants/{merchant_id}/retry-enrolments/{retry_enrolment_id}",
      "delete /payments/network-tokens/{network_token_id}",
      "delete /payments/retry-watches/{retry_watch_id}",
      "delete /relays/{relay_id}",
      "delete /relays/{relay_id}/alerts/{alert_id}",
      "delete /relays/{relay_id}/custom-domains/{custom_domain_id}",
      "delete /sessions/{session_id}",
      "delete /team-keys/{key_id}",
      "delete /webhook-endpoints/{webhook_endpoint_id}",
      "delete /webhook-listeners/{webhook_listener_id}",
      "get /access-logs",
      "get /apps",
      "get /apps/{app_id}",
      "get /apps/{app_id}/api-keys",
      "get /apps/{app_id}/connector",
      "get /apps/{app_id}/keys",
      "get /audit-logs",
      "get /callback-secret",
      "get /data-policies",
      "get /data-policies/schema",
      "get /data-policies/{policy_id}",
      "get /data-roles",
      "get /data-roles/{role_id}",
      "get /data-roles/{role_id}/access",
      "get /data-subjects",
      "get /data-subjects/{data_subject_id}",
      "get /elements/scripts/{script}",
      "get /elements/{team_id}/{app_id}/fields",
      "get /elements/{team_id}/{app_id}/reveal",
      "get /enclaves",
      "get /enclaves/{enclave_id}",
      "get /files",
      "get /files/{file_id}",
      "get /files/{file_id}/parts",
      "get /formats",
      "get /formats/{format_id}",
      "get /frontend/3ds/browser-sessions/{session_id}",
      "get /frontend/3ds/pages/{token}",
      "get /functions",
      "get /functions/{function_name}",
      "get /functions/{function_name}/logs",
      "get /functions/{function_name}/runs",
      "get /functions/{function_name}/runs/{run_id}",
      "get /health",
      "get /honey-tokens",
      "get /honey-tokens/{honey_token_id}",
      "get /honey-tokens/{honey_token_id}/touches",
      "get /invitations",
      "get /keys",
      "get /members",
      "get /members/{member_id}",
      "get /members/{member_id}/sessions",
      "get /openapi.json",
      "get /payments/3ds-sessions",
      "get /payments/3ds-sessions/{session_id}",
      "get /payments/3ds-sessions/{session_id}/messages",
      "get /payments/account-updater/subscriptions",
      "get /payments/account-updater/subscriptions/{subscription_id}",
      "get /payments/acquirers",
      "get /payments/acquirers/{acquirer_id}",
      "get /payments/bin-tables",
      "get /payments/bin-tables/{bin_table_id}",
      "get /payments/cards",
      "get /payments/cards/{card_id}",
      "get /payments/merchants",
      "get /payments/merchants/{merchant_id}",
      "get /payments/merchants/{merchant_id}/retry-enrolments",
      "get /payments/merchants/{merchant_id}/retry-enrolments/{retry_enrolment_id}",
      "get /payments/network-tokens",
      "get /payments/network-tokens/{network_token_id}",
      "get /payments/network-tokens/{network_token_id}/card-art",
      "get /payments/pre-chargeback-alerts",
      "get /payments/pre-chargeback-alerts/{pre_chargeback_alert_id}",
      "get /payments/retry-watches",
      "get /payments/retry-watches/{retry_watch_id}",
      "get /payments/sandbox",
      "get /relays",
      "get /relays/{relay_id}",
      "get /relays/{relay_id}/activity",
      "get /relays/{relay_id}/activity/{activity_id}",
      "get /relays/{relay_id}/alerts",
      "get /relays/{relay_id}/alerts/{alert_id}",
      "get /relays/{relay_id}/custom-domains",
      "get /relays/{relay_id}/custom-domains/{custom_domain_id}",
      "get /session",
      "get /sessions",
      "get /sign-in",
      "get /sign-in/oidc",
      "get /sign-in/oidc/callback",
      "get /stats",
      "get /team",
      "get /team-keys",
      "get /v2/relay-outbound",
      "get /webhook-endpoints",
      "get /webhook-endpoints/{webhook_endpoint_id}",
      "get /webhook-events",
      "get /webhook-events/{webhook_event_id}",
      "get /{team_id}/apps/{app_id}",
      "patch /apps/{app_id}",
      "patch /apps/{app_id}/api-keys/{key_id}",
      "patch /data-policies/{policy_id}",
      "patch /data-roles/{role_id}",
      "patch /formats/{format_id}",
      "patch /frontend/3ds/browser-sessions/{session_id}",
      "patch /members/{member_id}",
      "patch /payments/acquirers/{acquirer_id}",
      "patch /payments/merchants/{merchant_id}",
      "patch /payments/pre-chargeback-alerts/{pre_chargeback_alert_id}",
      "patch /relays/{relay_id}",
      "patch /relays/{relay_id}/alerts/{alert_id}",
      "patch /team",
      "patch /webhook-endpoints/{webhook_endpoint_id}",
      "post /apps",
      "post /apps/{app_id}/api-keys",
      "post /apps/{app_id}/api-keys/{key_id}/rotate",
      "post /apps/{app_id}/connector/rotate-secret",
      "post /apps/{app_id}/connector/test",
      "post /apps/{app_id}/keys/rotate",
      "post /client-side-tokens",
      "post /data-policies",
      "post /data-policies/analyze",
      "post /data-policies/explain",
      "post /data-policies/simulate",
      "post /data-roles",
      "post /data-subjects/key",
      "post /data-subjects/{data_subject_id}/restore",
      "post /decrypt",
      "post /enclaves",
      "post /enclaves/decrypt",
      "post /encrypt",
      "post /files",
      "post /files/{file_id}/complete",
      "post /files/{file_id}/decrypt",
      "post /files/{file_id}/key",
      "post /files/{file_id}/part-urls",
      "post /fingerprint",
      "post /formats",
      "post /formats/{format_id}/decrypt",
      "post /formats/{format_id}/encrypt",
      "post /formats/{format_id}/rewrap",
      "post /formats/{format_id}/versions",
      "post /frontend/3ds/fingerprints/{app_id}/{transaction_id}",
      "post /frontend/3ds/notifications/{app_id}/{transaction_id}",
      "post /functions",
      "post /functions/{function_name}/run-tokens",
      "post /functions/{function_name}/runs",
      "post /honey-tokens",
      "post /insights/cards",
      "post /inspect",
      "post /invitations",
      "post /payments/3ds-results/{app_id}/{transaction_id}/{proof}",
      "post /payments/3ds-sessions",
      "post /payments/account-updater/subscriptions",
      "post /payments/account-updater/subscriptions/{subscription_id}/simulate",
      "post /payments/acquirers",
      "post /payments/bin-lookups",
      "post /payments/bin-tables",
      "post /payments/bin-tables/{bin_table_id}/activate",
      "post /payments/cards",
      "post /payments/cards/{card_id}/simulate",
      "post /payments/connector-events",
      "post /payments/merchants",
      "post /payments/merchants/{merchant_id}/retry-enrolments",
      "post /payments/network-tokens",
      "post /payments/network-tokens/{network_token_id}/cryptograms",
      "post /payments/network-tokens/{network_token_id}/simulate",
      "post /payments/par-lookups",
      "post /payments/pre-chargeback-alerts/simulate",
      "post /payments/retry-watches",
      "post /payments/retry-watches/{retry_watch_id}/simulate",
      "post /relays",
      "post /relays/{relay_id}/alerts",
      "post /relays/{relay_id}/alerts/{alert_id}/test",
      "post /relays/{relay_id}/custom-domains",
      "post /relays/{relay_id}/custom-domains/{custom_domain_id}/verify",
      "post /relays/{relay_id}/test",
      "post /reveal",
      "post /rewrap",
      "post /run/{function_name}",
      "post /sandbox/3ds/challenges/{capability}",
      "post /sandbox/3ds/challenges/{capability}/answers",
      "post /sandbox/3ds/methods/{app_id}",
      "post /session/renew",
      "post /sign-in-links",
      "post /sign-in/link",
      "post /sign-out",
      "post /team-keys",
      "post /v2/functions/{function_name}/run-token",
      "post /webhook-endpoints",
      "post /webhook-endpoints/{webhook_endpoint_id}/rotate-secret",
      "post /webhook-endpoints/{webhook_endpoint_id}/test",
      "post /webhook-events",
      "post /webhook-events/{webhook_event_id}/replay",
      "post /webhook-listeners",
      "post /webhook-listeners/{webhook_listener_id}/fetch",
      "put /apps/{app_id}/connector",
      "put /payments/bin-tables/{bin_table_id}/rows",
    ])
    expect(paths["/decrypt"]?.post).toMatchObject({
      operationId: "decrypt",
      security: [{ ApiKey: ["api:decrypt"] }, { ClientSideToken: ["api:decrypt"] }],
      requestBody: { required: true, content: { "application/json": {}, "application/octet-stream": {} } },
      responses: {
        200: { content: { "application/json": {}, "application/octet-stream": {} } },
        400: { content: { "application/problem+json": {} } },
        401: {},
        403: {
          description: "`decrypt/forbidden`, `decrypt/masked-only`, `decrypt/reason-required`, `forbidden`",
        },
        413: {},
        415: {},
        500: {},
        503: {},
      },
    })
    expect(paths["/health"]?.get?.security).toEqual([])
    expect(answer.text).toContain("x-service-data-role")
    expect(answer.text).toContain("api:decrypt")
  })
})

/** Open a value given as a token, and return only tokens or the last four digits. */
const ANSWERING_TOKENS: readonly string[] = [
  "create-honey-token",
  "create-3ds-session",
  "create-network-token",
  "simulate-network-token-update",
  "create-card-subscription",
  "simulate-account-update",
  "register-card",
  "simulate-card-update",
  "create-retry-watch",
]

describe("Idempotency-Key", () => {
  test("returns decrypted data again only where policies are checked again, and never repeats the work", () => {
    const { endpoints } = createService(service.service.platform)
    const revealing = endpoints
      .map(({ endpoint }) => endpoint)
      .filter(({ writes, errors }) => writes && errors.includes("decrypt/forbidden"))
      .filter(({ id }) => !ANSWERING_TOKENS.includes(id))
    expect(revealing.map(({ id }) => id)).toEqual(["run-function", "run-bare-payload"])
    for (const { id, writes, authorizeReplay } of revealing) {
      expect({ id, writes, authorizeReplay }).toEqual({
        id,
        writes: "once",
        authorizeReplay: expect.any(Function),
      })
    }
  })

  test("is accepted by every request that changes something, and by no other", () => {
    const { endpoints } = createService(service.service.platform)
    const unkeyed = endpoints.filter(({ endpoint }) => !endpoint.writes && endpoint.method !== "GET")
    expect(unkeyed.map(({ endpoint }) => endpoint.id).sort()).toEqual([
      "analyze-data-policies",
      "answer-sandbox-challenge",
      "create-bin-lookup",
      "create-card-insight",
      "create-file-key",
      "create-file-part-urls",
      "create-par-lookup",
      "decrypt",
      "decrypt-file",
      "decrypt-for-enclave",
      "decrypt-format",
      "encrypt",
      "encrypt-format",
      "explain-data-policies",
      "fetch-webhook-events",
      "fingerprint",
      // Browsers and networks have no key: a repetition changes nothing.
      "finish-3ds-challenge",
      "finish-3ds-fingerprint",
      "get-data-subject-key",
      "inspect",
      "open-sandbox-challenge",
      "receive-3ds-results",
      // Its `webhook-id` serves as the key.
      "receive-connector-event",
      // Pages of the service itself call it. A repetition changes nothing.
      "renew-session",
      "reveal",
      "rewrap",
      "rewrap-format",
      "sign-out",
      "simulate-data-policies",
      "take-sandbox-fingerprint",
      "test-connector",
      "test-relay",
      "update-3ds-browser-session",
      "use-sign-in-link",
    ])
    const keyed = endpoints.filter(({ endpoint }) => endpoint.writes)
    expect(keyed.every(({ endpoint }) => endpoint.method !== "GET" && endpoint.auth.length > 0)).toBe(true)
  })
})

describe("GET /health", () => {
  test("answers without credentials and without an AWS call", async () => {
    const before = service.awsCalls.length
    const answer = await service.get("/health", { auth: null })
    expect(answer.json).toMatchObject({ status: "ok", version: expect.stringMatching(/^\d+\.\d+\.\d+$/) })
    expect(service.awsCalls).toHaveLength(before)
  })
})

import { createECDH, randomUUID } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import type { Custody } from "@sealway/accounts"
import { createService, type ServedEndpoint } from "@sealway/api"
import { createRunWorker } from "@sealway/functions"
import type { Platform } from "@sealway/http"
import { EgressError } from "@sealway/http/egress"
import { createApp, createTeam, issueApiKey } from "@sealway/management"
import { appPartition } from "@sealway/ports"
import { SYSTEM } from "@sealway/records"
import { createSealingKey, isOfSubject, parseToken, subjectIdOf } from "@sealway/tokens"
import { createWebhookWorker, signatureHeaders } from "@sealway/webhooks"
import { strToU8, zipSync } from "fflate"
import * as z from "zod"
import { attestedRequests, ENCLAVE_CONDITIONS, ENCLAVE_REQUESTS } from "./enclave-requests.ts"
import { prepareFile, prepareUpload, prepareUploadedFile } from "./file-requests.ts"
import type { GrantRequest, GrantRequests, Prerequisites } from "./grant-request.ts"
import { MEMBER_REQUESTS } from "./member-requests.ts"
import { MERCHANT as SHOP, CARD as UPDATED_CARD, WATCHED_CARD } from "./payment-requests.ts"
import { LAMBDA_CONTEXT, proxyEvent } from "./proxy-event.ts"
import { queueEvent } from "./queue-event.ts"
import { SANDBOX_CHALLENGE_REQUESTS } from "./sandbox-challenge-requests.ts"
import { createSelfSigned } from "./self-signed.ts"
import { THREE_DS_REQUESTS, THREE_DS_SESSION } from "./three-d-secure-requests.ts"

const APP_KEY = { name: "Another", scopes: ["api:decrypt"] }
const POLICY = {
  name: "Few",
  effect: "permit",
  roles: ["pci"],
  conditions: { budget: { values: 10, per: "hour" } },
}
const CODE = zipSync({ "index.mjs": strToU8("export const handler = async () => null") })
const FUNCTION = {
  name: "hello",
  language: "node@24",
  handler: "index.mjs",
  code: Buffer.from(CODE).toString("base64"),
}
const CARD = "4000000000000002"
const BIN_ROWS = {
  auth: "team",
  query: { from: "0" },
  headers: { "content-type": "application/x-ndjson" },
  text: JSON.stringify({ from: "400000", to: "400000", brand: "visa" }),
} as const
/** A public key as frames create them. */
const createRevealKey = () => createECDH("prime256v1").generateKeys("base64url")
const WEBHOOK = { url: "https://example.com/", events: ["*"] }

const MERCHANT = { ...SHOP, applePay: { domains: ["pay.example.com"] } }
const ACQUIRER = {
  name: "Bank",
  configurations: [
    { network: "visa", bin: "400000", acquirerMerchantIdentifier: "123456", country: "ie" },
    { network: "mastercard", bin: "520000", acquirerMerchantIdentifier: "1000002", country: "ie" },
  ],
}
const CONNECTOR = {
  url: "https://127.0.0.1:9/",
  clientCertificate: { format: "pem", ...createSelfSigned("DNS:client.example.com") },
}

/** Requests of each endpoint that do everything the endpoint does. */
export const ENDPOINT_REQUESTS: GrantRequests = {
  health: () => ({ auth: "nobody" }),
  "get-openapi": () => ({ auth: "nobody" }),
  "open-field-frame": ({ team, app }) => ({ auth: "nobody", path: { team_id: team.id, app_id: app.id } }),
  "get-frame-script": () => ({ auth: "nobody", path: { script: "another.js" }, status: 404 }),
  encrypt: async (given) => {
    await given.prepare("create-data-role", { body: { slug: "pci", name: "Cards" } })
    await sealSymmetrically(given)
    return [
      { body: "Ada Lovelace", headers: { "x-service-data-role": "pci" } },
      { body: "Ada Lovelace", headers: { "x-service-data-subject": "ada" } },
    ]
  },
  decrypt: async (given) => {
    const permitted = await sealedByClient(given, "pci")
    const refused = await sealedByClient(given, "other")
    // After those whose key is in the HSM, where data subjects have none.
    const { token } = await prepareSubject(given)
    await preparePolicy(given)
    return [{ body: permitted }, { body: token }, { body: refused, status: 403 }]
  },
  "create-client-side-token": async () => [
    { body: { action: "api:decrypt", payload: {} } },
    { body: { action: "api:reveal", payload: {}, key: createRevealKey() } },
  ],
  "open-reveal-frame": ({ team, app }) => ({ auth: "nobody", path: { team_id: team.id, app_id: app.id } }),
  reveal: async (given) => {
    await preparePolicy(given)
    const requests = ["pci", "other"].map(async (role) => {
      const body = { card: await sealedByClient(given, role) }
      const input = { action: "api:reveal", payload: body, key: createRevealKey() }
      const { token = "" } = await given.prepare("create-client-side-token", { body: input })
      const request = { auth: "nobody", headers: { authorization: `Token ${token}` }, body } as const
      return role === "pci" ? request : { ...request, status: 403 }
    })
    return Promise.all(requests)
  },
  ...ENCLAVE_REQUESTS,
  "decrypt-for-enclave": async (given) => {
    await given.prepare("create-data-role", { body: { slug: "pci", name: "Cards" } })
    await given.prepare("create-data-policy", {
      body: { ...POLICY, conditions: { ...POLICY.conditions, ...ENCLAVE_CONDITIONS } },
    })
    await given.prepare("create-enclave", {
      body: { name: "Checkout", pcrs: ENCLAVE_CONDITIONS.enclavePcrs },
    })
    const permitted = await sealedByClient(given, "pci")
    return attestedRequests(given, { permitted, refused: await sealedByClient(given, "other") })
  },
  "list-data-subjects": async (given) => {
    await prepareSubject(given)
    return [{}, { headers: { "x-service-data-subject": "ada" } }]
  },
  // For one that is there, and for one that is created.
  "get-data-subject-key": async (given) => {
    await prepareSubject(given)
    return ["ada", "bob"].map((person) => ({ headers: { "x-service-data-subject": person } }))
  },
  "get-data-subject": async (given) => ({ path: (await prepareSubject(given)).path }),
  "delete-data-subject": async (given) => ({ path: (await prepareSubject(given)).path }),
  "restore-data-subject": async (given) => {
    const { path } = await prepareSubject(given, 1)
    await given.prepare("delete-data-subject", { path })
    return { path }
  },
  "create-data-role": () => ({ body: { slug: "pci", name: "Cards" } }),
  "list-data-roles": () => ({}),
  "get-data-role": async (given) => {
    const { id = "" } = await given.prepare("create-data-role", { body: { slug: "pci", name: "Cards" } })
    return [{ path: { role_id: id } }, { path: { role_id: "pci" } }]
  },
  "get-data-role-access": async (given) => {
    await preparePolicy(given)
    return { path: { role_id: "pci" }, status: 403 }
  },
  "update-data-role": async (given) => {
    const { id = "" } = await given.prepare("create-data-role", { body: { slug: "pci", name: "Cards" } })
    return { path: { role_id: id }, body: { name: "Card numbers" } }
  },
  "delete-data-role": async (given) => {
    const { id = "" } = await given.prepare("create-data-role", { body: { slug: "pci", name: "Cards" } })
    const used = await given.prepare("create-data-role", { body: { slug: "used", name: "Used" } })
    await given.prepare("encrypt", { body: "x", headers: { "x-service-data-role": "used" } })
    return [{ path: { role_id: id } }, { path: { role_id: used.id ?? "" } }]
  },
  "create-data-policy": async (given) => {
    await given.prepare("create-data-role", { body: { slug: "pci", name: "Cards" } })
    return { body: POLICY }
  },
  "list-data-policies": () => ({}),
  "get-data-policy-schema": () => ({}),
  "get-data-policy": async (given) => ({ path: { policy_id: await preparePolicy(given) } }),
  "update-data-policy": async (given) => ({
    path: { policy_id: await preparePolicy(given) },
    body: { roles: ["pci"], name: "Many" },
  }),
  "delete-data-policy": async (given) => ({ path: { policy_id: await preparePolicy(given) } }),
  "explain-data-policies": async (given) => {
    await preparePolicy(given)
    return { body: { role: "pci", context: {} } }
  },
  "simulate-data-policies": async (given) => {
    await preparePolicy(given)
    return { body: { hours: 1, policies: [POLICY] } }
  },
  "analyze-data-policies": async (given) => {
    await preparePolicy(given)
    return { body: { role: "pci", policies: [POLICY] }, status: 403 }
  },
  "create-webhook-endpoint": () => ({ body: WEBHOOK }),
  "list-webhook-endpoints": () => ({}),
  "get-webhook-endpoint": async (given) => ({ path: await prepareWebhook(given) }),
  "update-webhook-endpoint": async (given) => ({
    path: await prepareWebhook(given),
    body: { status: "disabled" },
  }),
  "delete-webhook-endpoint": async (given) => ({ path: await prepareWebhook(given) }),
  "rotate-webhook-secret": async (given) => ({ path: await prepareWebhook(given), body: {} }),
  "test-webhook-endpoint": async (given) => ({ path: await prepareWebhook(given) }),
  "list-webhook-events": async (given) => {
    await prepareWebhookEvent(given)
    return { query: { status: "failed" } }
  },
  "get-webhook-event": async (given) => ({ path: await prepareWebhookEvent(given) }),
  "deploy-function": () => ({ body: FUNCTION }),
  "list-functions": () => ({}),
  "get-function": async (given) => ({ path: await prepareFunction(given) }),
  "delete-function": async (given) => ({ path: await prepareFunction(given) }),
  "run-function": async (given) => {
    await preparePolicy(given)
    const path = await prepareFunction(given)
    const payload = async (role: string) => ({ card: await sealedByClient(given, role) })
    return [
      { path, body: { payload: await payload("pci") } },
      { path, body: { payload: await payload("other") }, status: 403 },
      { path, body: { payload: {}, async: true }, status: 202 },
    ]
  },
  "run-bare-payload": async (given) => {
    await preparePolicy(given)
    const path = await prepareFunction(given)
    const payload = async (role: string) => ({ card: await sealedByClient(given, role) })
    return [
      { path, body: await payload("pci") },
      { path, body: await payload("other"), status: 403 },
      { path, body: {}, headers: { "x-async": "true" }, status: 202 },
    ]
  },
  "list-function-runs": async (given) => ({ path: await prepareFunction(given) }),
  "get-function-run": async (given) => ({ path: await prepareRun(given) }),
  "delete-function-run": async (given) => ({ path: await prepareRun(given) }),
  "list-function-logs": async (given) => ({ path: await prepareFunction(given) }),
  "create-run-token": async (given) => ({ path: await prepareFunction(given), body: { payload: {} } }),
  "create-run-token-v2": async (given) => ({ path: await prepareFunction(given), body: { payload: {} } }),
  "get-callback-secret": () => ({}),
  "replay-webhook-event": async (given) => ({ path: await prepareWebhookEvent(given), body: {} }),
  "trigger-webhook-event": () => ({ body: { type: "relay.error" } }),
  "create-webhook-listener": () => ({ body: { events: ["*"] } }),
  "fetch-webhook-events": async (given) => {
    const { path, eventId } = await prepareListener(given)
    return { path, body: { handled: [eventId] } }
  },
  "delete-webhook-listener": async (given) => ({ path: (await prepareListener(given)).path }),
  // A honey token is refused.
  fingerprint: async (given) => [
    await fingerprintRequest(given),
    { body: { token: (await prepareHoney(given)).token }, status: 403 },
  ],
  inspect: async (given) => [
    await fingerprintRequest(given),
    { body: { token: (await prepareHoney(given)).token }, status: 403 },
  ],
  rewrap: async (given) => [
    { body: await sealed(given) },
    { body: [(await prepareHoney(given)).token], status: 403 },
  ],
  "create-honey-token": async (given) => {
    await given.prepare("create-data-role", { body: { slug: "pci", name: "Cards" } })
    const { token } = await prepareHoney(given)
    return [
      { body: { name: "Another", shape: "email", role: "pci" } },
      { body: { name: "A third", like: await sealedByClient(given, "pci") } },
      { body: { name: "A fourth", like: token }, status: 403 },
    ]
  },
  "list-honey-tokens": async (given) => {
    await prepareHoney(given)
    return {}
  },
  "get-honey-token": async (given) => ({ path: { honey_token_id: (await prepareHoney(given)).id } }),
  "delete-honey-token": async (given) => ({ path: { honey_token_id: (await prepareHoney(given)).id } }),
  "list-honey-touches": async (given) => ({ path: { honey_token_id: (await prepareHoney(given)).id } }),
  "create-format": async (given) => {
    await given.prepare("create-data-role", { body: { slug: "pci", name: "Cards" } })
    return { body: { name: "cards", role: "pci", preset: "card-number" } }
  },
  "list-formats": async (given) => {
    await prepareFormat(given)
    return {}
  },
  "get-format": async (given) => ({ path: await prepareFormat(given) }),
  "update-format": async (given) => ({ path: await prepareFormat(given), body: { archived: true } }),
  "rotate-format": async (given) => ({ path: await prepareFormat(given) }),
  "encrypt-format": async (given) => ({ path: await prepareFormat(given), body: ["4242424242424242"] }),
  "decrypt-format": async (given) => {
    const body = ["4242424242424242"]
    const path = await prepareFormat(given)
    await given.prepare("create-data-role", { body: { slug: "other", name: "Nobody's" } })
    const { id = "" } = await given.prepare("create-format", {
      body: { name: "others", role: "other", preset: "card-number" },
    })
    return [
      { path, body },
      { path: { format_id: id }, body, status: 403 },
    ]
  },
  "rewrap-format": async (given) => ({
    path: await prepareFormat(given),
    query: { version: "1" },
    body: ["4242424242424242"],
  }),
  "create-file": async (given) => {
    await given.prepare("create-data-role", { body: { slug: "pci", name: "Cards" } })
    return { body: { size: 1, role: "pci" } }
  },
  "create-file-key": async (given) => {
    await sealSymmetrically(given)
    return { path: await prepareUpload(given) }
  },
  "create-file-part-urls": async (given) => ({ path: await prepareUpload(given), body: { parts: [1] } }),
  "list-file-parts": async (given) => ({ path: await prepareUpload(given) }),
  "complete-file": (given) => prepareUploadedFile(given, null),
  "list-files": () => ({}),
  "get-file": async (given) => ({ path: await prepareUpload(given) }),
  "decrypt-file": async (given) => {
    await preparePolicy(given)
    await given.prepare("create-data-role", { body: { slug: "other", name: "Others" } })
    const permitted = await prepareFile(given, "pci")
    return [{ path: permitted }, { path: await prepareFile(given, "other"), status: 403 }]
  },
  "delete-file": async (given) => [
    { path: await prepareFile(given, null) },
    { path: await prepareUpload(given) },
  ],
  "get-keys": () => ({}),
  "get-app-keys": ({ app }) => ({ auth: "nobody", path: { team_id: app.teamId, app_id: app.id } }),
  "list-key-versions": ({ app }) => ({ auth: "team", path: { app_id: app.id } }),
  "rotate-keys": ({ app }) => ({ auth: "team", path: { app_id: app.id } }),
  "get-team": () => ({ auth: "team" }),
  "update-team": () => ({ auth: "team", body: { name: "Renamed" } }),
  "create-team-key": () => ({ auth: "team", body: { name: "Another" } }),
  "list-team-keys": () => ({ auth: "team" }),
  "revoke-team-key": async (given) => {
    const { id } = await given.prepare("create-team-key", { auth: "team", body: { name: "Another" } })
    return { auth: "team", path: { key_id: String(id) } }
  },
  "create-app": () => ({ auth: "team", body: { name: "Another", environment: "sandbox", custody: "hsm" } }),
  "list-apps": () => ({ auth: "team" }),
  "get-app": ({ app }) => ({ auth: "team", path: { app_id: app.id } }),
  "update-app": async (given) => {
    const ofApp = { auth: "team", path: { app_id: given.app.id } } as const
    await given.prepare("update-app", { ...ofApp, body: { custody: "envelope" } })
    return { ...ofApp, body: { name: "Renamed", custody: "hsm" } }
  },
  "create-api-key": ({ app }) => ({ auth: "team", path: { app_id: app.id }, body: APP_KEY }),
  "list-api-keys": ({ app }) => ({ auth: "team", path: { app_id: app.id } }),
  "narrow-api-key": ({ app, apiKeyId }) => ({
    auth: "team",
    path: { app_id: app.id, key_id: apiKeyId },
    body: { scopes: ["api:decrypt"] },
  }),
  "rotate-api-key": ({ app, apiKeyId }) => ({
    auth: "team",
    path: { app_id: app.id, key_id: apiKeyId },
    body: {},
  }),
  "revoke-api-key": ({ app, apiKeyId }) => ({ auth: "team", path: { app_id: app.id, key_id: apiKeyId } }),
  "list-audit-logs": () => ({ auth: "team" }),
  "create-card-insight": async (given) => {
    await prepareBinTable(given)
    return (await cardRequests(given)).map(({ number, status }) => ({
      body: { card: { number }, extensions: ["capabilities", "paymentAccountReference"] },
      ...(status && { status }),
    }))
  },
  "create-bin-lookup": async (given) => {
    await prepareBinTable(given)
    return (await cardRequests(given)).map(({ number, status }) => ({
      body: { number },
      ...(status && { status }),
    }))
  },
  "create-par-lookup": async (given) =>
    (await cardRequests(given)).map(({ number, status }) => ({
      body: { number },
      ...(status && { status }),
    })),
  "create-bin-table": () => ({ auth: "team", body: { name: "Ranges" } }),
  "list-bin-tables": () => ({ auth: "team" }),
  "get-bin-table": async (given) => ({ auth: "team", path: await newBinTable(given) }),
  "put-bin-table-rows": async (given) => ({ ...BIN_ROWS, path: await newBinTable(given) }),
  "activate-bin-table": async (given) => {
    await prepareBinTable(given)
    const path = await newBinTable(given)
    await given.prepare("put-bin-table-rows", { ...BIN_ROWS, path })
    return { auth: "team", path }
  },
  "delete-bin-table": async (given) => {
    const path = await newBinTable(given)
    await given.prepare("put-bin-table-rows", { ...BIN_ROWS, path })
    return { auth: "team", path }
  },
  "list-access-logs": () => ({}),
  "get-stats": () => ({}),
  "get-sandbox-values": () => ({}),
  // What is settled at once, and what a worker must check again.
  "create-merchant": async () => [{ body: MERCHANT }, { body: { ...MERCHANT, name: "Shop Slow" } }],
  "list-merchants": async (given) => {
    await prepareMerchant(given)
    return { query: { q: "sho", pageSize: "1" } }
  },
  "get-merchant": async (given) => ({ path: await prepareMerchant(given) }),
  "update-merchant": async (given) => ({
    path: await prepareMerchant(given),
    body: { shortName: "S", applePay: { domains: ["shop.example.com"] } },
  }),
  // One that a network token needed.
  "delete-merchant": async (given) => {
    const path = await prepareMerchant(given)
    const body = { card: UPDATED_CARD, merchant: path.merchant_id }
    const { id } = await given.prepare("create-network-token", { body })
    await given.prepare("delete-network-token", { path: { network_token_id: String(id) } })
    return { path }
  },
  "create-acquirer": () => ({ body: ACQUIRER }),
  "list-acquirers": async (given) => {
    await prepareAcquirer(given)
    return {}
  },
  "get-acquirer": async (given) => ({ path: await prepareAcquirer(given) }),
  "update-acquirer": async (given) => ({
    path: await prepareAcquirer(given),
    body: { default: true, configurations: [{ network: "visa", bin: "411111" }] },
  }),
  "delete-acquirer": async (given) => ({ path: await prepareAcquirer(given) }),
  // What exists at once, what a worker must check again, and what is refused.
  "create-network-token": async (given) => {
    await prepareBinTable(given)
    const merchant = await prepareTokenMerchant(given)
    const { expiry } = UPDATED_CARD
    return [
      ...(await cardRequests(given)).map(({ number, status }) => ({
        body: { merchant, card: { number, expiry } },
        ...(status && { status }),
      })),
      { body: { merchant, card: { number: "4000000000002065", expiry } } },
      { body: { merchant, card: { number: "4000000000002032", expiry } }, status: 400 },
    ]
  },
  "list-network-tokens": async (given) => {
    await prepareNetworkToken(given)
    return { query: { status: "active", limit: "1" } }
  },
  "get-network-token": async (given) => ({ path: await prepareNetworkToken(given) }),
  "delete-network-token": async (given) => ({ path: await prepareNetworkToken(given) }),
  "create-cryptogram": async (given) => ({ path: await prepareNetworkToken(given) }),
  "get-card-art": async (given) => ({ path: await prepareNetworkToken(given) }),
  "simulate-network-token-update": async (given) => {
    const path = await prepareNetworkToken(given)
    return (await cardRequests(given)).map(({ number, status }) => ({
      path,
      body: { updateType: "new-token-expiry-and-number", number },
      ...(status && { status }),
    }))
  },
  // A new card, and a known one.
  "register-card": async (given) => {
    await prepareBinTable(given)
    const { expiry } = UPDATED_CARD
    return [
      ...(await cardRequests(given)).map(({ number, status }) => ({
        body: { number, expiry },
        ...(status && { status }),
      })),
      { body: { number: CARD, expiry: { month: "01", year: "40" } }, status: 200 },
    ]
  },
  "list-cards": async (given) => {
    await prepareCard(given)
    return { query: { status: "active", limit: "1" } }
  },
  "get-card": async (given) => ({ path: await prepareCard(given) }),
  "delete-card": async (given) => ({ path: await prepareCard(given) }),
  "simulate-card-update": async (given) => {
    await given.prepare("create-webhook-endpoint", { body: WEBHOOK })
    await prepareBinTable(given)
    const path = await prepareCard(given)
    // The card is active until the last one.
    return (await cardRequests(given))
      .reverse()
      .map(({ number, status }) => ({
        path,
        body: { updateType: "new-account-number", number },
        ...(status && { status }),
      }))
  },
  // One that is new, one that is known, and what a worker is to look at again.
  "create-card-subscription": async (given) => {
    await prepareBinTable(given)
    const { merchant_id: merchant } = await prepareMerchant(given)
    return [
      ...(await cardRequests(given)).map(({ number, status }) => ({
        body: { number, merchant },
        ...(status && { status }),
      })),
      { body: { number: CARD, merchant }, status: 200 },
      { body: { number: "4000000000006066", expiry: UPDATED_CARD.expiry, merchant } },
    ]
  },
  "list-card-subscriptions": async (given) => {
    await prepareSubscription(given)
    return { query: { status: "active", limit: "1" } }
  },
  "get-card-subscription": async (given) => ({ path: await prepareSubscription(given) }),
  "delete-card-subscription": async (given) => ({ path: await prepareSubscription(given) }),
  "simulate-account-update": async (given) => {
    await given.prepare("create-webhook-endpoint", { body: WEBHOOK })
    await prepareBinTable(given)
    const path = await prepareSubscription(given)
    const numbers = (await cardRequests(given)).map(({ number, status }) => ({
      path,
      body: { updateType: "new-account-number", number },
      ...(status && { status }),
    }))
    return [...numbers, { path, body: { updateType: "account-closure" } }]
  },
  "create-retry-enrolment": async (given) => ({
    path: await prepareMerchant(given),
    body: { network: "mastercard" },
  }),
  "list-retry-enrolments": async (given) => ({
    path: { merchant_id: (await prepareRetryEnrolment(given)).merchant_id },
  }),
  "get-retry-enrolment": async (given) => ({ path: await prepareRetryEnrolment(given) }),
  "delete-retry-enrolment": async (given) => ({ path: await prepareRetryEnrolment(given) }),
  // One whose network is asked again, and what opens tokens.
  "create-retry-watch": async (given) => {
    await prepareBinTable(given)
    const merchant = await prepareAlertMerchant(given)
    const body = { ...retryWatchOf(given), merchant }
    const ofNumber = (number: string) => ({ body: { ...body, card: { ...WATCHED_CARD, number } } })
    return [
      // One is of Visa, which is not watched; the other one may not be opened.
      ...(await cardRequests(given)).map(({ number, status = 400 }) => ({ ...ofNumber(number), status })),
      ...[WATCHED_CARD.number, "5200000000007010"].map(ofNumber),
    ]
  },
  "list-retry-watches": async (given) => {
    await prepareRetryWatch(given)
    return { query: { status: "watching" } }
  },
  "get-retry-watch": async (given) => ({ path: await prepareRetryWatch(given) }),
  "delete-retry-watch": async (given) => ({ path: await prepareRetryWatch(given) }),
  "simulate-retry-signal": async (given) => {
    await given.prepare("create-webhook-endpoint", { body: WEBHOOK })
    return { path: await prepareRetryWatch(given), body: { signal: "retry-now" } }
  },
  "simulate-pre-chargeback-alert": async (given) => {
    await given.prepare("create-webhook-endpoint", { body: WEBHOOK })
    const merchant = await prepareAlertMerchant(given)
    return [{ body: { merchant, network: "verifi" } }, { body: { merchant, network: "ethoca" } }]
  },
  "list-pre-chargeback-alerts": async (given) => {
    await prepareAlert(given)
    return { query: { network: "ethoca" } }
  },
  "get-pre-chargeback-alert": async (given) => ({ path: await prepareAlert(given) }),
  "update-pre-chargeback-alert": async (given) => {
    await given.prepare("create-webhook-endpoint", { body: WEBHOOK })
    return { path: await prepareAlert(given), body: { outcome: "refunded" } }
  },
  "set-connector": async (given) => {
    const { path } = await prepareProductionApp(given)
    return { auth: "team", path, body: CONNECTOR }
  },
  "get-connector": async (given) => ({ auth: "team", path: (await prepareConnector(given)).path }),
  "delete-connector": async (given) => ({ auth: "team", path: (await prepareConnector(given)).path }),
  "rotate-connector-secret": async (given) => ({
    auth: "team",
    path: (await prepareConnector(given)).path,
    body: {},
  }),
  // Nothing listens there.
  "test-connector": async (given) => ({ auth: "team", path: (await prepareConnector(given)).path }),
  "receive-connector-event": async (given) => {
    const { key, path, secret } = await prepareConnector(given)
    const { id } = await given.prepare("create-merchant", { body: MERCHANT, headers: { "api-key": key } })
    const event = {
      type: "enrolment.updated",
      occurredAt: given.platform.wallClock(),
      reference: `${id}.1`,
      enrolment: { status: "active" },
    }
    const headers = signatureHeaders("msg_1", JSON.stringify(event), [secret], given.platform.wallClock())
    return { auth: "nobody", headers: { ...headers, "x-service-app-id": String(path.app_id) }, body: event }
  },
  ...MEMBER_REQUESTS,
  ...THREE_DS_REQUESTS,
  ...SANDBOX_CHALLENGE_REQUESTS,
  "create-3ds-session": async (given) => {
    await prepareBinTable(given)
    const requests = [(await THREE_DS_REQUESTS["create-3ds-session"]?.(given)) ?? []].flat()
    const cards = (await cardRequests(given)).map(({ number, status }) => ({
      body: { ...THREE_DS_SESSION, card: { ...THREE_DS_SESSION.card, number } },
      ...(status && { status }),
    }))
    return [...requests, ...cards]
  },
}

async function prepareMerchant(given: Prerequisites): Promise<Record<string, string>> {
  return { merchant_id: String((await given.prepare("create-merchant", { body: MERCHANT })).id) }
}

/** One that is enrolled for alerts and retries. */
async function prepareAlertMerchant(given: Prerequisites): Promise<string> {
  const preChargebackAlerts = { verifi: { enabled: true }, ethoca: { enabled: true } }
  const body = { ...SHOP, preChargebackAlerts, intelligentRetries: { enabled: true } }
  return String((await given.prepare("create-merchant", { body })).id)
}

async function prepareRetryEnrolment(given: Prerequisites) {
  const { merchant_id = "" } = await prepareMerchant(given)
  const made = await given.prepare("create-retry-enrolment", {
    path: { merchant_id },
    body: { network: "mastercard" },
  })
  return { merchant_id, retry_enrolment_id: String(made.id) }
}

const retryWatchOf = ({ platform }: Prerequisites) => ({
  card: WATCHED_CARD,
  declinedAmount: 1_000,
  currency: "eur",
  declinedAt: platform.wallClock(),
})

async function prepareRetryWatch(given: Prerequisites): Promise<Record<string, string>> {
  const body = { ...retryWatchOf(given), merchant: await prepareAlertMerchant(given) }
  return { retry_watch_id: String((await given.prepare("create-retry-watch", { body })).id) }
}

async function prepareAlert(given: Prerequisites): Promise<Record<string, string>> {
  const body = { merchant: await prepareAlertMerchant(given), network: "ethoca" }
  const { id } = await given.prepare("simulate-pre-chargeback-alert", { body })
  return { pre_chargeback_alert_id: String(id) }
}

async function prepareTokenMerchant(given: Prerequisites): Promise<string> {
  return String((await given.prepare("create-merchant", { body: SHOP })).id)
}

async function prepareNetworkToken(given: Prerequisites): Promise<Record<string, string>> {
  const body = { card: UPDATED_CARD, merchant: await prepareTokenMerchant(given) }
  return { network_token_id: String((await given.prepare("create-network-token", { body })).id) }
}

async function prepareSubscription(given: Prerequisites): Promise<Record<string, string>> {
  const { merchant_id: merchant } = await prepareMerchant(given)
  const body = { number: UPDATED_CARD.number, merchant }
  return { subscription_id: String((await given.prepare("create-card-subscription", { body })).id) }
}

async function prepareCard(given: Prerequisites): Promise<Record<string, string>> {
  return { card_id: String((await given.prepare("register-card", { body: UPDATED_CARD })).id) }
}

async function prepareAcquirer(given: Prerequisites): Promise<Record<string, string>> {
  return { acquirer_id: String((await given.prepare("create-acquirer", { body: ACQUIRER })).id) }
}

/** Prepares a production app with an endpoint for events. */
async function prepareProductionApp(given: Prerequisites) {
  const { platform, team } = given
  const app = await createApp(platform, team.id, { name: "Live", environment: "production" }, SYSTEM)
  const owner = { teamId: team.id, name: "Key", expiresAt: null, kind: "production", appId: app.id } as const
  const { key } = await issueApiKey(platform, { ...owner, scopes: ["*"] }, SYSTEM)
  await given.prepare("create-webhook-endpoint", { body: WEBHOOK, headers: { "api-key": key } })
  return { key, path: { app_id: app.id } }
}

/** Prepares a production app with a connector at which nothing listens. */
async function prepareConnector(given: Prerequisites) {
  const { key, path } = await prepareProductionApp(given)
  const { signingSecret } = await given.prepare("set-connector", { auth: "team", path, body: CONNECTOR })
  return { key, path, secret: String(signingSecret) }
}

/**
 * Prepares a new team with an app and its keys, so that no request meets what another has left behind.
 *
 * @param custody of the app. Default: `envelope`
 */
export async function prepareTeam(
  platform: Platform,
  served: readonly ServedEndpoint[],
  custody: Custody = "envelope",
): Promise<Prerequisites> {
  const team = await createTeam(platform, "Team", SYSTEM)
  const app = await createApp(platform, team.id, { name: "App", environment: "sandbox", custody }, SYSTEM)
  const owner = { teamId: team.id, name: "Key", expiresAt: null }
  const appKey = await issueApiKey(
    platform,
    { ...owner, kind: "sandbox", appId: app.id, scopes: ["*"] },
    SYSTEM,
  )
  const teamKey = await issueApiKey(platform, { ...owner, kind: "team", appId: null, scopes: [] }, SYSTEM)
  const given: Prerequisites = {
    platform,
    team,
    app,
    teamKey: teamKey.key,
    apiKey: appKey.key,
    apiKeyId: appKey.record.id,
    async prepare(endpointId, request) {
      const { statusCode = 500, body = "{}" } = await sendRequest(
        served,
        endpointId,
        given,
        request,
        randomUUID(),
      )
      if (statusCode >= 300) throw new Error(`${endpointId} answers ${statusCode}: ${body}`)
      return JSON.parse(body === "" ? "{}" : body)
    },
  }
  // So that events are published.
  await given.prepare("create-webhook-endpoint", { body: WEBHOOK })
  return given
}

async function preparePolicy(given: Prerequisites): Promise<string> {
  await given.prepare("create-data-role", { body: { slug: "pci", name: "Cards" } })
  return String((await given.prepare("create-data-policy", { body: POLICY })).id)
}

async function prepareWebhook(given: Prerequisites): Promise<Record<string, string>> {
  const { id = "" } = await given.prepare("create-webhook-endpoint", { body: WEBHOOK })
  return { webhook_endpoint_id: id }
}

/** Prepares a deployed function. */
async function prepareFunction(given: Prerequisites): Promise<Record<string, string>> {
  const { id = "" } = await given.prepare("deploy-function", { body: FUNCTION })
  const worker = createRunWorker(createService(given.platform).functions)
  const path = { function_name: FUNCTION.name }
  for (let attempt = 0; attempt < 50; attempt++) {
    const work = { kind: "function", id, appId: given.app.id, functionName: FUNCTION.name }
    await worker(queueEvent(work))
    if ((await given.prepare("get-function", { path })).status === "ready") return path
    await delay(100)
  }
  throw new Error("The function is not deployed")
}

/** Prepares an asynchronous run that got a value of a data subject, and has ended. */
async function prepareRun(given: Prerequisites): Promise<Record<string, string>> {
  const path = await prepareFunction(given)
  const { token } = await prepareSubject(given)
  await given.prepare("run-function", { path, body: { payload: { token }, async: true } })
  const { data } = z
    .object({ data: z.array(z.object({ id: z.string() })) })
    .parse(await given.prepare("list-function-runs", { path }))
  const { id: functionId } = await given.prepare("get-function", { path })
  const id = data[0]?.id ?? ""
  const worker = createRunWorker(createService(given.platform).functions)
  await worker(queueEvent({ kind: "run", id, appId: given.app.id, functionId }))
  return { ...path, run_id: id }
}

/** Prepares an event that could not be delivered. */
async function prepareWebhookEvent(given: Prerequisites): Promise<Record<string, string>> {
  const path = await prepareWebhook(given)
  const { id: eventId = "" } = await given.prepare("test-webhook-endpoint", { path })
  const unreachable = { post: () => Promise.reject(new EgressError("unreachable")) }
  const schedule = { waitsMs: [], jitter: 0, maxRetryAfterMs: 0 }
  const worker = createWebhookWorker({ ...given.platform, egress: unreachable, schedule })
  const event = { appId: given.app.id, eventId }
  await worker(queueEvent(event))
  await worker(queueEvent({ ...event, endpointId: path.webhook_endpoint_id, attempt: 1 }))
  return { webhook_event_id: eventId }
}

/** Prepares a listener with two waiting events that is due to be prolonged when it fetches them. */
async function prepareListener(given: Prerequisites) {
  const { id = "" } = await given.prepare("create-webhook-listener", { body: {} })
  const worker = createWebhookWorker({ ...given.platform, egress: { post: () => Promise.reject() } })
  const trigger = async () => {
    const event = await given.prepare("trigger-webhook-event", { body: { type: "relay.error" } })
    await worker(queueEvent({ appId: given.app.id, eventId: event.id }))
    return event.id ?? ""
  }
  const eventId = await trigger()
  await trigger()
  const { configTable } = given.platform
  const key = { pk: appPartition(given.app.id), sk: `webhook-listener#${id}` }
  const item = await configTable.get(key)
  await configTable.put(key, { ...item, listensUntil: Date.now() + 400_000 })
  return { path: { webhook_listener_id: id }, eventId }
}

/** Seals a token outside the service, which does not know yet that its role is used. */
async function sealedByClient(given: Prerequisites, role: string, value = "x"): Promise<string> {
  const { ecdhP256Key = "" } = await given.prepare("get-keys", {})
  const key = createSealingKey({ appPublicKey: Buffer.from(ecdhP256Key, "base64"), debug: true })
  return key.seal("string", value, { role, encryptedAt: 1 })
}

/** Returns a card number, and the same with a role that permits and one that does not. */
async function cardRequests(given: Prerequisites) {
  await preparePolicy(given)
  return [
    { number: await sealedByClient(given, "pci", CARD) },
    { number: await sealedByClient(given, "other", CARD), status: 403 },
  ]
}

async function newBinTable(given: Prerequisites): Promise<Record<string, string>> {
  const { id = "" } = await given.prepare("create-bin-table", { auth: "team", body: { name: "Ranges" } })
  return { bin_table_id: id }
}

/** Prepares an active table, so that a look-up reads it. */
export async function prepareBinTable(given: Prerequisites): Promise<void> {
  const path = await newBinTable(given)
  await given.prepare("put-bin-table-rows", { ...BIN_ROWS, path })
  await given.prepare("activate-bin-table", { auth: "team", path })
}

/** Prepares a format whose role any key may decrypt. */
async function prepareFormat(given: Prerequisites): Promise<Record<string, string>> {
  await given.prepare("create-data-role", { body: { slug: "pci", name: "Cards" } })
  await given.prepare("create-data-policy", {
    body: { name: "All", effect: "permit", roles: ["pci"], conditions: { sources: ["api"] } },
  })
  const { id = "" } = await given.prepare("create-format", {
    body: { name: "cards", role: "pci", preset: "card-number" },
  })
  return { format_id: id }
}

async function prepareHoney(given: Prerequisites): Promise<{ readonly id: string; readonly token: string }> {
  const { id = "", token = "" } = await given.prepare("create-honey-token", {
    body: { name: "Trap", shape: "card-number" },
  })
  return { id, token }
}

/** Encrypts a value of a data subject. @param erasureDays the app's undo window. Default: 0 */
export async function prepareSubject(given: Prerequisites, erasureDays = 0) {
  await given.prepare("update-app", {
    auth: "team",
    path: { app_id: given.app.id },
    body: { custody: "envelope", erasureDays },
  })
  // The process may still know the app as it was before.
  const app = { ...given.app, custody: "envelope" } as const
  const key = await given.platform.keyring.subjects.forSealing(app, "ada")
  const token = key.createSealingKey().seal("string", "Ada")
  const parsed = parseToken(token)
  if (parsed === null || !isOfSubject(parsed)) throw new Error("Not a token of a data subject")
  return { token, path: { data_subject_id: subjectIdOf(parsed) } }
}

async function fingerprintRequest(given: Prerequisites): Promise<GrantRequest> {
  await prepareBinTable(given)
  return { body: { token: String(await given.prepare("encrypt", { body: CARD })) } }
}

async function sealed(given: Prerequisites): Promise<string> {
  return String(await given.prepare("encrypt", { body: "x" }))
}

/** Sends a request to an endpoint's handler, without a gateway. */
export async function sendRequest(
  served: readonly ServedEndpoint[],
  endpointId: string,
  { teamKey, apiKey }: Prerequisites,
  { auth = "app", path = {}, query = {}, headers = {}, body, text }: GrantRequest,
  idempotencyKey: string,
  requestId = "request-1",
) {
  const found = served.find(({ endpoint }) => endpoint.id === endpointId)
  if (found === undefined) throw new Error(`There is no endpoint ${endpointId}`)
  const { endpoint, handler } = found
  const credentials = { app: { "api-key": apiKey }, team: { "api-key": teamKey }, nobody: {} }[auth]
  const event = proxyEvent({
    method: endpoint.method,
    path: endpoint.path,
    pathParameters: path,
    queryStringParameters: query,
    headers: {
      "content-type": "application/json",
      "idempotency-key": idempotencyKey,
      ...credentials,
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(text !== undefined && { body: text }),
  })
  event.requestContext.requestId = requestId
  return handler(event, LAMBDA_CONTEXT)
}

async function sealSymmetrically(given: Prerequisites): Promise<void> {
  const path = { app_id: given.app.id }
  const body = { sealing: "symmetric", custody: "envelope" }
  await given.prepare("update-app", { auth: "team", path, body })
}

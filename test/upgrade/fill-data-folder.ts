import { randomBytes } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { sealAsClient } from "@sealway/tokens/testing"
import { run } from "../cli/cli.ts"
import { codeOf } from "../support/functions.ts"
import { sendToRelay } from "../support/relay-request.ts"
import type { Ready } from "../support/start.ts"
import type { Call, CallOptions } from "./call.ts"
import type { Answers, BoundToken, SealedValue, UserHoldings } from "./expected.ts"
import { RECEIVER_PORT } from "./receiver.ts"

const CARD = "4242424242424242"
const FILE = randomBytes(3_000)

/** The fields that are read of answers. */
interface AnswerFields {
  readonly id: string
  readonly status: string
  readonly key: string
  readonly secret: string
  readonly token: string
  readonly relayDomain: string
  readonly ecdhKey: string
  readonly ecdhP256Key: string
  readonly data: readonly { readonly id: string }[]
}

/** Sends a request that must succeed, and reads its answer as JSON. */
async function ask(
  call: Call,
  method: string,
  path: string,
  body?: unknown,
  options: CallOptions = {},
): Promise<AnswerFields> {
  const { status, text } = await call(method, path, body, options)
  if (status >= 400) throw new Error(`${method} ${path} answers ${status}: ${text}`)
  return JSON.parse(text || "null")
}

async function refuse(call: Call, path: string, body: unknown): Promise<void> {
  const { status } = await call("POST", path, body)
  if (status < 400) throw new Error(`POST ${path} is not refused`)
}

const [ROLE, CLOSED_ROLE] = ["card", "closed"]
const withRole = (slug: string) => ({ headers: { "x-service-data-role": slug } })

/** Creates a record of every kind. */
export async function fill(call: Call, ready: Ready, receiverUrl: string): Promise<void> {
  const sandbox = ready.apps[0]?.id ?? ""
  const post = (path: string, body: unknown, options?: CallOptions) => ask(call, "POST", path, body, options)
  const app = await post("/apps", { name: "Shop", environment: "sandbox" })
  await ask(call, "PATCH", `/apps/${app.id}`, { name: "Depot" })
  await post("/data-roles", { slug: ROLE, name: "Cards" })
  await post("/data-roles", { slug: CLOSED_ROLE, name: "Closed" })
  await post("/data-roles", { slug: "strict", name: "Strict", accessLog: "strict" })
  const budget = { conditions: { sources: ["api"], budget: { values: 100, per: "day" } } }
  await post("/data-policies", { name: "Some", effect: "permit", roles: [ROLE], ...budget })
  await post("/data-policies", { name: "All", effect: "permit", roles: ["strict"], conditions: {} })
  for (const role of [ROLE, "strict"]) {
    await post("/decrypt", await post("/encrypt", { card: CARD }, withRole(role)))
  }
  await refuse(call, "/decrypt", await post("/encrypt", "closed", withRole(CLOSED_ROLE)))
  await post("/webhook-endpoints", { url: `${receiverUrl}/all`, events: ["*"], description: "All" })
  const code = codeOf({ "index.mjs": "export const handler = async ({ n }) => ({ twice: 2 * n })" })
  await post("/functions", {
    name: "double",
    language: "node@24",
    handler: "index.mjs",
    code,
    callbackUrl: `${receiverUrl}/done`,
  })
  while ((await ask(call, "GET", "/functions/double")).status === "deploying") await delay(50)
  await post("/functions/double/runs", { payload: { n: 1 } })
  await post("/functions/double/runs", { payload: { n: 2 }, async: true })
  const relay = await post("/relays", {
    destinationDomain: receiverUrl,
    routes: [
      {
        path: "/**",
        request: [{ action: "encrypt", selections: [{ type: "json", selector: "$.card", role: ROLE }] }],
      },
    ],
  })
  await post(`/relays/${relay.id}/custom-domains`, { domain: "pay.customer.example" })
  await post(`/relays/${relay.id}/alerts`, { type: "webhook", url: `${receiverUrl}/alert` })
  await post(`/relays/${relay.id}/alerts`, { type: "chat", url: `${receiverUrl}/chat` })
  const { status } = await sendToRelay(ready.relayUrl, {
    relayDomain: relay.relayDomain,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ card: CARD }),
  })
  if (status !== 200) throw new Error(`The relay answers ${status}`)
  await post("/relays", { destinationDomain: "unused.example" })
  await post(`/apps/${sandbox}/keys/rotate`, {})
  for (;;) {
    const [runs, events] = [
      await ask(call, "GET", "/functions/double/runs?limit=100"),
      await ask(call, "GET", "/webhook-events?limit=100"),
    ]
    if (!/"(scheduled|pending)"/.test(JSON.stringify([runs, events]))) return
    await delay(50)
  }
}

/** Returns what a user has outside the folder by now, and still uses. */
export async function handOut(
  call: Call,
  ready: Ready,
): Promise<{ readonly token: unknown; readonly kept: Omit<UserHoldings, "expiring" | "madeAt"> }> {
  const post = (path: string, body: unknown, options?: CallOptions) => ask(call, "POST", path, body, options)
  const sandbox = ready.apps[0]?.id ?? ""
  const newKey = (scopes: string[]) => post(`/apps/${sandbox}/api-keys`, { name: "Kept", scopes })
  const [mayDecrypt, mayNot, revoked] = [await newKey(["api:decrypt"]), await newKey([]), await newKey(["*"])]
  await ask(call, "DELETE", `/apps/${sandbox}/api-keys/${revoked.id}`)
  const teamKey = await post("/team-keys", { name: "Kept" })
  const older = await sealAll(call)
  await post(`/apps/${sandbox}/keys/rotate`, {})
  const newer = await sealAll(call)
  const sealedFile = await call("POST", "/encrypt", FILE, {
    headers: { "content-type": "application/octet-stream" },
  })
  const payload = { card: await post("/encrypt", CARD) }
  const bound = async (path: string, body: object): Promise<BoundToken> => {
    const { token } = await post(path, { ...body, payload })
    return { token, payload }
  }
  const webhook = await post("/webhook-endpoints", {
    url: `http://127.0.0.1:${RECEIVER_PORT}/kept`,
    events: ["payments.*"],
    description: "Kept",
  })
  const [repeatedKey, body] = ["kept", { slug: "once", name: "Once" }]
  const answer = await post("/data-roles", body, { headers: { "idempotency-key": repeatedKey } })
  const { text: relays } = await call("GET", "/relays?limit=100")
  const verified = await run(["audit", "verify"], {
    env: { SEALWAY_URL: ready.url, SEALWAY_TEAM_KEY: ready.teamKey },
  })
  return {
    token: await post("/encrypt", { name: "Ada", card: CARD }),
    kept: {
      sealed: [
        ...older.map((each) => ({ ...each, name: `${each.name}, key version 2` })),
        ...newer.map((each) => ({ ...each, name: `${each.name}, key version 3` })),
      ],
      file: { sealed: sealedFile.bytes.toString("base64"), opened: FILE.toString("base64") },
      forbiddenToken: String(await post("/encrypt", "closed", withRole(CLOSED_ROLE))),
      keys: [
        { name: "a key that may decrypt", key: mayDecrypt.key, status: 200 },
        { name: "a key without scopes", key: mayNot.key, status: 403 },
        { name: "a revoked key", key: revoked.key, status: 401 },
      ],
      teamKey: teamKey.key,
      clientToken: await bound("/client-side-tokens", { action: "api:decrypt" }),
      runToken: await bound("/functions/double/run-tokens", {}),
      repeatable: { key: repeatedKey, body, answer },
      relayDomain: /"relayDomain":"(127-0-0-1[^"]+)"/.exec(relays)?.[1] ?? "",
      webhook: { id: webhook.id, secret: webhook.secret },
      authority: await (await fetch(ready.caUrl)).text(),
      auditHead: verified.stdout.trim(),
    },
  }
}

/** Seals values of every version and type, by the service and by clients that seal on their own. */
async function sealAll(call: Call): Promise<SealedValue[]> {
  const { ecdhKey, ecdhP256Key } = await ask(call, "GET", "/keys")
  const keys = { S0lS: ecdhKey, RFVC: ecdhKey, Tk9D: ecdhP256Key, QkTC: ecdhP256Key }
  const byService = async (name: string, body: string, options: CallOptions = {}) => {
    const { text } = await call("POST", "/encrypt", Buffer.from(body), options)
    return { name, token: JSON.parse(text), opened: body }
  }
  const sealed = [
    await byService("Tk9D string", '"héllo"'),
    await byService("Tk9D number", "12345678901234567890.50"),
    await byService("Tk9D boolean", "true"),
    await byService("QkTC string", '"4242424242424242"', withRole(ROLE)),
    await byService("QkTC number", "1.0", withRole(ROLE)),
    ...(["S0lS", "RFVC", "Tk9D", "QkTC"] as const).map((version) => {
      const appPublicKey = Buffer.from(keys[version], "base64")
      const token = sealAsClient({ version, appPublicKey, plaintext: "by a client", debug: true })
      return { name: `${version} by a client`, token, opened: '"by a client"' }
    }),
  ]
  return Promise.all(
    sealed.map(async (each) => ({
      ...each,
      fingerprint: await ask(call, "POST", "/fingerprint", { token: each.token }),
    })),
  )
}

/** Returns the service's answers, by path. */
export async function record(call: Call, ready: Ready): Promise<{ answers: Answers; expiring: Answers }> {
  const get = async (path: string): Promise<AnswerFields> => ask(call, "GET", `${path}?limit=100`)
  const recordAll = async (paths: readonly string[]) =>
    Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await get(path)] as const)))
  const ids = async (path: string) => (await get(path)).data.map(({ id }) => id)
  const relays = await ids("/relays")
  const runs = await ids("/functions/double/runs")
  const events = await ids("/webhook-events")
  return {
    answers: await recordAll([
      ...["/team", "/apps", "/team-keys", "/audit-logs"],
      ...ready.apps.map(({ id }) => `/apps/${id}/api-keys`),
      ...["/keys", "/callback-secret", "/data-roles", "/data-policies", "/webhook-endpoints", "/functions"],
      ...["/relays", "/access-logs"],
      ...relays.flatMap((id) => [`/relays/${id}/custom-domains`, `/relays/${id}/alerts`]),
    ]),
    expiring: await recordAll([
      "/functions/double/runs",
      ...runs.map((id) => `/functions/double/runs/${id}`),
      "/webhook-events",
      ...events.map((id) => `/webhook-events/${id}`),
      ...relays.map((id) => `/relays/${id}/activity`),
    ]),
  }
}

/**
 * Makes a data folder with a record of every kind, and writes it as a zip. Run once for each release whose folders a
 * later one must read, with that release:
 *
 *     node scripts/run.mjs test/upgrade/make-data-folder.ts test/upgrade/data-folder-0.1.0.zip
 *
 * The zip holds the folder of a process that was killed (`data/`), and what the service answered before (`expected.json`).
 */
import { once } from "node:events"
import { cp, readdir, readFile, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join, relative } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb"
import { startEmbeddedCloud } from "@sealway/local"
import { TABLES } from "@sealway/platform"
import { zipSync } from "fflate"
import { codeOf } from "../support/functions.ts"
import { basic } from "../support/service.ts"
import { type Ready, startReady, withFolder } from "../support/start.ts"

const [target = ""] = process.argv.slice(2)
const receiver = createServer((request, response) => {
  request.resume().on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"))
})
receiver.listen(0, "127.0.0.1")
await once(receiver, "listening")
const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`

type Caller = (
  method: string,
  path: string,
  body?: unknown,
  options?: { auth?: { user: string; key: string }; headers?: Record<string, string>; refused?: true },
) => Promise<Answer>

/** What is read of answers. */
interface Answer {
  readonly id: string
  readonly status: string
  readonly relayDomain: string
}

function callerOf({ url, apps }: Ready): Caller {
  const [sandbox] = apps
  const own = { user: sandbox?.id ?? "", key: sandbox?.apiKey ?? "" }
  return async (method, path, body, { auth = own, headers = {}, refused } = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: basic(auth),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.ok === (refused === true))
      throw new Error(`${method} ${path} answers ${response.status}: ${text}`)
    return text === "" ? null : JSON.parse(text)
  }
}

function teamAuth({ teamId, teamKey }: Ready) {
  return { auth: { user: teamId, key: teamKey } }
}

/** A record of every kind. */
async function fill(call: Caller, ready: Ready): Promise<void> {
  const team = teamAuth(ready)
  const sandbox = ready.apps[0]?.id ?? ""
  const app = await call("POST", "/apps", { name: "Shop", environment: "sandbox" }, team)
  await call("PATCH", `/apps/${app.id}`, { name: "Depot" }, team)
  for (const name of ["Backend", "Old"]) {
    const key = await call("POST", `/apps/${sandbox}/api-keys`, { name, scopes: ["api:decrypt"] }, team)
    if (name === "Old") await call("DELETE", `/apps/${sandbox}/api-keys/${key.id}`, undefined, team)
  }
  await call("POST", "/team-keys", { name: "Second" }, team)
  await call("POST", "/data-roles", { slug: "card", name: "Cards" })
  await call("POST", "/data-roles", { slug: "closed", name: "Closed" })
  const budget = { conditions: { sources: ["api"], budget: { values: 10, per: "day" } } }
  await call("POST", "/data-policies", { name: "Some", effect: "permit", roles: ["card"], ...budget })
  const role = (slug: string) => ({ headers: { "x-service-data-role": slug } })
  const card = await call("POST", "/encrypt", { card: "4242424242424242" }, role("card"))
  await call("POST", "/decrypt", card)
  const closed = await call("POST", "/encrypt", "closed", role("closed"))
  await call("POST", "/decrypt", closed, { refused: true })
  await call("POST", `/apps/${sandbox}/keys/rotate`, {}, team)
  await call(
    "POST",
    "/data-roles",
    { slug: "once", name: "Once" },
    { headers: { "idempotency-key": "kept" } },
  )
  await call("POST", "/webhook-endpoints", { url: `${receiverUrl}/hook`, events: ["*"], description: "All" })
  const code = codeOf({ "index.mjs": "export const handler = async ({ n }) => ({ twice: 2 * n })" })
  await call("POST", "/functions", {
    name: "double",
    language: "node@24",
    handler: "index.mjs",
    code,
    callbackUrl: `${receiverUrl}/done`,
  })
  while ((await call("GET", "/functions/double")).status === "deploying") await delay(50)
  await call("POST", "/functions/double/runs", { payload: { n: 1 } })
  await call("POST", "/functions/double/runs", { payload: { n: 2 }, async: true })
  await call("POST", "/functions/double/run-tokens", { payload: { n: 3 } })
  const relay = await call("POST", "/relays", {
    destinationDomain: receiverUrl,
    routes: [
      {
        path: "/**",
        request: [{ action: "encrypt", selections: [{ type: "json", selector: "$.card", role: "card" }] }],
      },
    ],
  })
  await call("POST", `/relays/${relay.id}/custom-domains`, { domain: "pay.customer.example" })
  await call("POST", `/relays/${relay.id}/alerts`, { type: "webhook", url: `${receiverUrl}/alert` })
  await call("POST", `/relays/${relay.id}/alerts`, { type: "chat", url: `${receiverUrl}/chat` })
  await sendThroughRelay(ready, relay.relayDomain)
  await call("POST", "/relays", { destinationDomain: "unused.example" })
  for (;;) {
    const runs = await call("GET", "/functions/double/runs?limit=100")
    if (!JSON.stringify(runs).includes('"scheduled"')) break
    await delay(50)
  }
  await delay(3_000)
}

async function sendThroughRelay({ relayUrl }: Ready, host: string): Promise<void> {
  const { request } = await import("node:http")
  const sent = request(relayUrl, { method: "POST", headers: { host, "content-type": "application/json" } })
  sent.end(JSON.stringify({ card: "4242424242424242" }))
  const [response] = await once(sent, "response")
  response.resume()
  if (response.statusCode !== 200) throw new Error(`The relay answers ${response.statusCode}`)
}

/** What the service answers of records that do not expire, by path. */
async function record(call: Caller, ready: Ready): Promise<Record<string, unknown>> {
  const team = teamAuth(ready)
  const answers: Record<string, unknown> = {}
  const teamPaths = ["/team", "/apps", "/team-keys", "/audit-logs"]
  const paths = ["/keys", "/data-roles", "/data-policies", "/webhook-endpoints", "/functions", "/relays"]
  for (const path of teamPaths) answers[path] = await call("GET", `${path}?limit=100`, undefined, team)
  for (const { id } of ready.apps) {
    answers[`/apps/${id}/api-keys`] = await call("GET", `/apps/${id}/api-keys?limit=100`, undefined, team)
  }
  for (const path of paths) answers[path] = await call("GET", `${path}?limit=100`)
  const relays: { data: { id: string }[] } = answers["/relays"] as never
  for (const { id } of relays.data) {
    for (const path of [`/relays/${id}/custom-domains`, `/relays/${id}/alerts`])
      answers[path] = await call("GET", `${path}?limit=100`)
  }
  return answers
}

/** Every item of every table, as DynamoDB's API spells it. */
async function itemsOf(dataFolder: string): Promise<Record<string, unknown>> {
  const cloud = await startEmbeddedCloud({ dataFolder, tables: TABLES, queues: [] })
  const { region, credentials, endpoints } = cloud
  const client = new DynamoDBClient({ region, credentials, endpoint: endpoints.dynamodb })
  const items: Record<string, unknown> = {}
  for (const { name } of TABLES) {
    const { Items = [], LastEvaluatedKey } = await client.send(new ScanCommand({ TableName: name }))
    if (LastEvaluatedKey !== undefined) throw new Error("The table is larger than one page")
    items[name] = Items
  }
  client.destroy()
  await cloud.close()
  return items
}

await withFolder(async (parent) => {
  const folder = join(parent, "data")
  const first = await startReady(folder)
  await fill(callerOf(first.ready), first.ready)
  await first.stop("SIGTERM")
  const second = await startReady(folder)
  const caller = callerOf(second.ready)
  const token = await caller("POST", "/encrypt", { name: "Ada", card: "4242424242424242" })
  const answers = await record(caller, second.ready)
  await delay(3_000)
  await second.stop("SIGKILL")
  const copy = join(parent, "copy")
  await cp(folder, copy, { recursive: true })
  const expected = { token, answers, items: await itemsOf(copy) }
  const entries: Record<string, Uint8Array> = { "expected.json": Buffer.from(JSON.stringify(expected)) }
  for (const file of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue
    const path = join(file.parentPath, file.name)
    entries[`data/${relative(folder, path)}`] = await readFile(path)
  }
  await writeFile(target, zipSync(entries, { level: 9 }))
})
receiver.close()

import { randomUUID } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createService } from "@sealway/api"
import { createPlatform } from "@sealway/http"
import { withoutLaterWrites } from "@sealway/http/testing"
import { BUCKETS, createCloudClients, createProver, ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import { QUEUES, TABLES } from "@sealway/ports"
import * as z from "zod"
import { startDnsServer } from "../test/support/dns-server.ts"
import { NITRO } from "../test/support/enclave-requests.ts"
import { ENDPOINT_REQUESTS, prepareTeam, sendRequest } from "../test/support/endpoint-requests.ts"
import type { GrantRequests } from "../test/support/grant-request.ts"
import { createRelayRequests } from "../test/support/relay-grant-requests.ts"
import { withoutSecrets } from "./examples/without-secrets.ts"

const FILE = join(import.meta.dirname, "../packages/hosts/api/src/generated/openapi-examples.json")
const MAX_CHARACTERS = 12_000

const dns = await startDnsServer()
const cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: QUEUES, buckets: BUCKETS })
const { configuration, clients } = createCloudClients(cloud, {
  accessLog: "log",
  enclaveRoot: NITRO.rootFingerprint,
  dnsServers: [dns.address],
  onCall: () => undefined,
})
await ensureStageKey(cloud)
const newProcess = () => withoutLaterWrites(createPlatform(configuration, clients))
const other = newProcess()
const { endpoints } = createService(other)
const requestsOf: GrantRequests = { ...ENDPOINT_REQUESTS, ...createRelayRequests(dns) }

const documentSchema = z.object({
  openapi: z.string(),
  info: z.object({ title: z.string(), version: z.string() }),
  servers: z.array(z.object({ url: z.string() })),
})
/** What is refused in the cloud, where the requests of tests are sent to. */
const ONLY_ON_ONE_MACHINE = new Set(["get-data-role-access", "analyze-data-policies"])
const prover = createProver({ now: other.now })
/** What an example has of an answer that is too long for one, by endpoint. */
const EXCERPTS: Readonly<Record<string, (answer: unknown) => unknown>> = {
  "get-openapi": (answer) => ({ ...documentSchema.parse(answer), paths: {} }),
}

/** Returns a value as an example; undefined for one that is no JSON, or too long to read. */
function exampleOf(text: string | undefined): unknown {
  if (text === undefined || text === "" || text.length > MAX_CHARACTERS) return undefined
  try {
    const value = withoutSecrets(JSON.parse(text))
    // Most documents are objects, and the pages that show the reference take a text alone for JSON that is malformed.
    return typeof value === "string" ? { name: value } : value
  } catch {
    return undefined
  }
}

function excerptOf(endpointId: string, text: string | undefined): string | undefined {
  const excerpt = EXCERPTS[endpointId]
  return excerpt === undefined || text === undefined ? text : JSON.stringify(excerpt(JSON.parse(text)))
}

const examples: Record<string, object> = {}
for (const { endpoint } of endpoints) {
  const given = await prepareTeam(other, endpoints)
  const requests = [await requestsOf[endpoint.id]?.(given)].flat()
  for (const wanted of requests) {
    if (wanted === undefined) continue
    if (wanted.status !== undefined && !ONLY_ON_ONE_MACHINE.has(endpoint.id)) continue
    // The other process may still know the app as it was before it was prepared.
    const served = createService(newProcess(), null, { prover }).endpoints
    const answer = await sendRequest(served, endpoint.id, given, wanted, randomUUID())
    if (answer.statusCode !== endpoint.status) continue
    const isJson = String(answer.headers?.["content-type"] ?? "").startsWith("application/json")
    const request = wanted.body === undefined ? undefined : exampleOf(JSON.stringify(wanted.body))
    const reply = isJson ? exampleOf(excerptOf(endpoint.id, answer.body)) : undefined
    if (request === undefined && reply === undefined) continue
    examples[endpoint.id] = {
      ...(request !== undefined && { request }),
      ...(reply !== undefined && { reply }),
    }
    break
  }
}
writeFileSync(FILE, `${JSON.stringify(examples, null, 2)}\n`)
console.log(`${Object.keys(examples).length} examples of ${endpoints.length} operations`)
await dns.close()
await cloud.close()
process.exit(0)

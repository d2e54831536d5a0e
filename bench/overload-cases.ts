import { generateKeyPairSync } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { gzipSync } from "node:zlib"
import { bindRequest } from "@sealway/enclave/request"
import type { SimulatedNitro } from "@sealway/enclave/testing"
import { Sealway } from "@sealway/sdk"
import { zipSync } from "fflate"
import * as z from "zod"

/** The service that is measured. */
export interface CrowdedService {
  readonly url: string
  readonly relayUrl: string
  readonly appId: string
  readonly apiKey: string
  readonly teamKey: string
  /** Attests for the service's enclaves. */
  readonly nitro: SimulatedNitro
  /** A destination of relays, which answers everything with the file. */
  readonly destination: { readonly port: number; answer(body: Buffer): Promise<void> }
}

/** What many clients send at the same time. */
export interface CrowdRequest {
  /** Default: the API's. */
  readonly url?: string
  /** Default: POST. */
  readonly method?: string
  readonly path: string
  /** Besides the API key of the app. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Buffer
  /** The status that says that the request was read, but is none that the endpoint accepts. Default: it accepts it. */
  readonly served?: "400"
  /** What differs from client to client; they take turns. Default: nothing. */
  readonly variants?: readonly { readonly path?: string; readonly bodyPrefix?: string }[]
}

/** A request that takes as much memory as the limits permit. */
export interface Case {
  readonly name: string
  prepare(service: CrowdedService, clients: number): Promise<CrowdRequest>
}

const MB = 1_048_576
const TOKENS = 65_000
/** About 4 MB, the most that an enclave may send. */
const ENCLAVE_TOKENS = 38_000
const FILE = { "content-type": "application/octet-stream" }

const list = (count: number, item: string) => Buffer.from(`[${Array(count).fill(item).join(",")}]`)
const fields = (count: number) =>
  Buffer.from(`{${Array.from({ length: count }, (_, index) => `"f${index}":"a"`).join(",")}}`)
const file = Buffer.alloc(25 * MB, "sealway")

const plain = (name: string, path: string, body: Buffer, headers = {}): Case => ({
  name: `${path}, ${name}`,
  prepare: async () => ({ path, headers, body }),
})

/** Sends what is refused once it was parsed: nothing that is accepted takes as much memory. */
const invalid = (name: string, path: string, body: string): Case => ({
  name: `${path}, ${name}`,
  prepare: async () => ({ path, body: Buffer.from(body), served: "400" }),
})

/** Sends what it encrypts first. */
const sealed = (name: string, path: string, body: Buffer, headers = {}): Case => ({
  name: `${path}, ${name}`,
  prepare: async (service) => ({ path, headers, body: await encrypted(service, body, headers) }),
})

export const CASES: readonly Case[] = [
  plain("100,000 strings", "/encrypt", list(100_000, '"a"')),
  plain("250,000 strings", "/encrypt", list(250_000, '"a"')),
  plain("30,000 numbers", "/encrypt", list(30_000, "7")),
  plain("a file of 25 MB", "/encrypt", file, FILE),
  sealed("65,000 tokens", "/decrypt", list(TOKENS, '"a"')),
  sealed("a file of 25 MB", "/decrypt", file, FILE),
  sealed("65,000 tokens", "/rewrap", list(TOKENS, '"a"')),
  sealed("a file of 25 MB", "/rewrap", file, FILE),
  invalid("1,700,000 objects", "/fingerprint", `{"token":${list(1_700_000, "{}")}}`),
  plain(
    "600,000 objects",
    "/client-side-tokens",
    Buffer.from(`{"action":"api:decrypt","payload":{"a":${list(600_000, '{"a":7}')}}}`),
  ),
  invalid(
    "700,000 objects",
    "/data-policies/simulate",
    `{"hours":1,"policies":[{"a":${list(650_000, "{}")}}]}`,
  ),
  { name: "/reveal, 65,000 tokens", prepare: prepareReveal },
  { name: "/enclaves/decrypt, 38,000 tokens", prepare: prepareEnclaves },
  { name: "/payments/bin-tables/{id}/rows, 36,000 rows", prepare: prepareBinRows },
  { name: "/relays/{id}/test, two bodies of 5 MB", prepare: prepareTrial },
  { name: "/functions/{name}/runs, results of 5.9 MB", prepare: prepareFunction },
  { name: "/storage, uploads of a part of 8 MiB", prepare: prepareUpload },
  { name: "/storage, downloads of 25 MB", prepare: prepareDownload },
  { name: "a relay, requests with 250,000 fields", prepare: prepareRelayedRequest },
  { name: "a relay, responses with 65,000 tokens", prepare: prepareRelayedResponse },
]

async function prepareReveal(service: CrowdedService): Promise<CrowdRequest> {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const key = publicKey.export({ format: "der", type: "spki" }).subarray(-65).toString("base64url")
  const body = await encrypted(service, list(TOKENS, '"a"'))
  const { token } = await call(
    service,
    "POST",
    "/client-side-tokens",
    Buffer.concat([Buffer.from(`{"action":"api:reveal","key":"${key}","payload":`), body, Buffer.from("}")]),
    z.object({ token: z.string() }),
  )
  return { path: "/reveal", headers: { "api-key": "", authorization: `Token ${token}` }, body }
}

async function prepareEnclaves(service: CrowdedService, clients: number): Promise<CrowdRequest> {
  const data = await encrypted(service, list(ENCLAVE_TOKENS, '"a"'))
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-384" })
  const request = {
    publicKey: publicKey.export({ format: "der", type: "spki" }),
    userData: bindRequest(service.appId, data),
  }
  // Each attestation is accepted once.
  const variants = Array.from({ length: clients }, (_, client) => {
    const attestation = service.nitro.attest({ ...request, nonce: Buffer.from(String(client)) })
    return { bodyPrefix: `{"attestation":"${attestation.toString("base64")}","data":` }
  })
  return { path: "/enclaves/decrypt", body: Buffer.concat([data, Buffer.from("}")]), variants }
}

/** As many tables as a team may have. */
const BIN_TABLES = 10

async function prepareBinRows(service: CrowdedService): Promise<CrowdRequest> {
  const headers = { "api-key": service.teamKey }
  const { data } = await call(service, "GET", "/payments/bin-tables", null, pageSchema, headers)
  for (const { id } of data)
    await call(service, "DELETE", `/payments/bin-tables/${id}`, null, z.null(), headers)
  const variants: { path: string }[] = []
  for (let table = 0; table < BIN_TABLES; table += 1) {
    const { id } = await call(
      service,
      "POST",
      "/payments/bin-tables",
      `{"name":"Table ${table}"}`,
      withId,
      headers,
    )
    variants.push({ path: `/payments/bin-tables/${id}/rows?from=0` })
  }
  const rows = Array.from({ length: 36_000 }, (_, row) => {
    const prefix = 40_000_000 + row * 10
    return `{"from":"${prefix}","to":"${prefix}","brand":"visa","country":"ie","issuer":"An issuer of card ${row}"}\n`
  })
  const type = { "content-type": "application/x-ndjson" }
  return {
    method: "PUT",
    path: "",
    headers: { ...headers, ...type },
    body: Buffer.from(rows.join("")),
    variants,
  }
}

const EVERYTHING = { type: "json", selector: "$..*" }
const ROUTE = { method: null, path: "/**" }

async function prepareTrial(service: CrowdedService): Promise<CrowdRequest> {
  const { id } = await createRelay(service, { request: [{ action: "encrypt", selections: [EVERYTHING] }] })
  const body = gzipSync(list(1_200_000, '"a"')).toString("base64")
  const message = {
    headers: { "content-type": "application/json", "content-encoding": "gzip" },
    body,
    encoding: "base64",
  }
  const response = [{ action: "encrypt", selections: [EVERYTHING] }]
  const routes = [{ ...ROUTE, request: response, response }]
  return {
    path: `/relays/${id}/test`,
    body: Buffer.from(JSON.stringify({ routes, request: message, response: message })),
  }
}

/** Answers of Lambda functions may have 6 MB. */
const RESULT = 'export const handler = async () => "a".repeat(5_900_000)\n'

async function prepareFunction(service: CrowdedService): Promise<CrowdRequest> {
  const code = Buffer.from(zipSync({ "index.mjs": Buffer.from(RESULT) })).toString("base64")
  const name = "large-result"
  const input = { name, language: "node@24", handler: "index.mjs", code }
  await call(service, "POST", "/functions", JSON.stringify(input), z.object({}))
  const read = () => call(service, "GET", `/functions/${name}`, null, z.object({ status: z.string() }))
  for (let { status } = await read(); status !== "ready"; { status } = await read()) {
    if (status === "failed") throw new Error("The function could not be deployed")
    await delay(20)
  }
  return { path: `/functions/${name}/runs`, body: Buffer.from('{"payload":{}}') }
}

/** All upload the same part. */
async function prepareUpload(service: CrowdedService): Promise<CrowdRequest> {
  const { id } = await call(service, "POST", "/files", JSON.stringify({ size: 8 * MB }), withId)
  const urls = await call(
    service,
    "POST",
    `/files/${id}/part-urls`,
    '{"parts":[1]}',
    z.object({ data: z.tuple([z.object({ url: z.string(), size: z.int() })]) }),
  )
  const [{ url, size }] = urls.data
  return { method: "PUT", path: url.slice(service.url.length), headers: FILE, body: Buffer.alloc(size) }
}

async function prepareDownload(service: CrowdedService): Promise<CrowdRequest> {
  const { url: baseUrl, appId, apiKey } = service
  const { files } = new Sealway({ baseUrl, appId, apiKey })
  const { id } = await files.upload(new Blob([new Uint8Array(file)]))
  const { url } = await call(service, "POST", `/files/${id}/decrypt`, null, z.object({ url: z.string() }))
  return { method: "GET", path: url.slice(service.url.length), body: Buffer.alloc(0) }
}

async function prepareRelayedRequest(service: CrowdedService): Promise<CrowdRequest> {
  await service.destination.answer(Buffer.from("{}"))
  const { relayDomain } = await createRelay(service, {
    request: [{ action: "encrypt", selections: [EVERYTHING] }],
  })
  return { url: service.relayUrl, path: "/", headers: { host: relayDomain }, body: fields(250_000) }
}

async function prepareRelayedResponse(service: CrowdedService): Promise<CrowdRequest> {
  await service.destination.answer(await encrypted(service, list(TOKENS, '"a"')))
  const { relayDomain } = await createRelay(service, {
    response: [{ action: "decrypt", selections: [EVERYTHING] }],
  })
  return { url: service.relayUrl, path: "/", headers: { host: relayDomain }, body: Buffer.from("{}") }
}

const withId = z.object({ id: z.string() })
const pageSchema = z.object({ data: z.array(withId) })

/** Creates a relay, in place of an earlier one: there is one for each destination. */
async function createRelay(
  service: CrowdedService,
  actions: { readonly request?: readonly object[]; readonly response?: readonly object[] },
) {
  const { data } = await call(service, "GET", "/relays", null, pageSchema)
  for (const { id } of data) await call(service, "DELETE", `/relays/${id}`, null, z.null())
  const routes = [{ ...ROUTE, request: [], response: [], ...actions }]
  const destinationDomain = `http://127.0.0.1:${service.destination.port}`
  return call(
    service,
    "POST",
    "/relays",
    JSON.stringify({ destinationDomain, routes }),
    z.object({ id: z.string(), relayDomain: z.string() }),
  )
}

async function encrypted(service: CrowdedService, body: Buffer, headers = {}): Promise<Buffer> {
  return send(service, "POST", "/encrypt", body, headers)
}

async function call<Answer>(
  service: CrowdedService,
  method: string,
  path: string,
  body: Buffer | string | null,
  schema: z.ZodType<Answer>,
  headers = {},
): Promise<Answer> {
  const answer = await send(service, method, path, body, headers)
  return schema.parse(answer.length === 0 ? null : JSON.parse(answer.toString()))
}

async function send(
  { url, apiKey }: CrowdedService,
  method: string,
  path: string,
  body: Buffer | string | null,
  headers: Readonly<Record<string, string>>,
): Promise<Buffer> {
  const answer = await fetch(url + path, {
    method,
    headers: { "api-key": apiKey, "content-type": "application/json", ...headers },
    ...(body !== null && { body: new Uint8Array(Buffer.from(body)) }),
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${bytes.toString()}`)
  return bytes
}

import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { mkdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { type CloudFrontClient, GetDistributionTenantByDomainCommand } from "@aws-sdk/client-cloudfront"
import {
  GetFunctionConfigurationCommand,
  type LambdaClient,
  paginateListFunctions,
} from "@aws-sdk/client-lambda"
import {
  GetResourcesCommand,
  type ResourceGroupsTaggingAPIClient,
} from "@aws-sdk/client-resource-groups-tagging-api"
import { packFile, writeZip } from "@sealway/functions"
import { type ReceivedRequest, startReceiver } from "@sealway/http/testing"
import { runTimeTags } from "@sealway/ports"
import { Webhook } from "standardwebhooks"
import * as z from "zod"
import { FUNCTION_FILE, type FunctionBundle } from "../../stacks/bundles/function-bundle.ts"
import { RELAY, roleName } from "../../stacks/names.ts"
import { unpackZip } from "../../test/infra/unpack-zip.ts"
import { type DeployedService, until } from "./service.ts"

const CARD = "4242424242424242"
const EVENT_MS = 60_000
const DEPLOYMENT_MS = 90_000
const FUNCTION = "greet"
const CODE =
  "export const handler = async ({ name, card }, { encrypt }) => ({ hello: name, digits: card.length, sealed: await encrypt(card) })\n"

const idSchema = z.looseObject({ id: z.string() })

/** Checks that it encrypts, and decrypts what a policy permits and nothing else. */
export async function checkDecryption({ call }: DeployedService): Promise<void> {
  for (const [slug, sources] of Object.entries({ open: ["api"], closed: ["relay"] })) {
    await made(call("POST", "/data-roles", { slug, name: slug }))
    await made(
      call("POST", "/data-policies", {
        name: slug,
        effect: "permit",
        roles: [slug],
        conditions: { sources },
      }),
    )
  }
  const sealed = async (role: string) => {
    const { status, body } = await call("POST", "/encrypt", { card: CARD }, { "x-service-data-role": role })
    assert.equal(status, 200)
    assert.match(z.object({ card: z.string() }).parse(body).card, /^ev:/)
    return body
  }
  const opened = await call("POST", "/decrypt", await sealed("open"))
  assert.deepEqual([opened.status, opened.body], [200, { card: CARD }])
  const refused = await call("POST", "/decrypt", await sealed("closed"))
  assert.equal(refused.status, 403)
  assert.equal(z.object({ code: z.string() }).parse(refused.body).code, "decrypt/forbidden")
}

/**
 * Deploys a function, runs it directly and through the queue, and checks the webhook about that: signed, and of the
 * run.
 */
export async function checkFunction({ call }: DeployedService): Promise<void> {
  await using receiver = await startReceiver((_, response) => response.writeHead(200).end())
  const endpoint = await made(
    call("POST", "/webhook-endpoints", { url: receiver.url, events: ["function.run.completed"] }),
  )
  const { secret } = z.object({ secret: z.string() }).parse(endpoint)

  const code = Buffer.from(writeZip([await packFile("index.mjs", Buffer.from(CODE))])).toString("base64")
  await made(call("POST", "/functions", { name: FUNCTION, language: "node@24", handler: "index.mjs", code }))
  await until(
    "The deployment of a function",
    DEPLOYMENT_MS,
    async () => (await call("GET", `/functions/${FUNCTION}`)).body,
    (body) => z.object({ status: z.string() }).parse(body).status === "ready",
  )
  const { body: card } = await call("POST", "/encrypt", CARD)
  const payload = { name: "Ada", card }
  const direct = await call("POST", `/functions/${FUNCTION}/runs`, { payload })
  assert.equal(direct.status, 200, JSON.stringify(direct.body))
  checkResult(direct.body)

  const scheduled = await call("POST", `/functions/${FUNCTION}/runs`, { payload, async: true })
  assert.equal(scheduled.status, 202, JSON.stringify(scheduled.body))
  const runId = scheduled.headers.get("location")?.split("/").at(-1) ?? ""
  const run = await until(
    "A run by way of the queue",
    EVENT_MS,
    async () => (await call("GET", `/functions/${FUNCTION}/runs/${runId}`)).body,
    (body) => ["success", "failure"].includes(z.looseObject({ status: z.string() }).parse(body).status),
  )
  checkResult(run)

  const told = await until(
    "The delivery of a webhook",
    EVENT_MS,
    async () => receiver.received.find(({ body }) => body.includes(runId)),
    (received) => received !== undefined,
  )
  assert.ok(told)
  verify(secret, told)
}

function checkResult(body: unknown): void {
  const { status, result } = z
    .object({ status: z.string(), result: z.record(z.string(), z.unknown()) })
    .parse(body)
  assert.equal(status, "success")
  assert.deepEqual([result.hello, result.digits], ["Ada", CARD.length])
  assert.match(String(result.sealed), /^ev:/)
}

/** Verifies as a receiver does, with the library that the specification names. */
function verify(secret: string, { headers, body }: ReceivedRequest): void {
  const plain = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value]] : [],
  )
  new Webhook(secret).verify(body, Object.fromEntries(plain))
}

export interface RelayCheck {
  readonly service: DeployedService
  readonly stage: string
  readonly bundles: readonly FunctionBundle[]
  /** An empty folder outside the project. */
  readonly folder: string
  readonly lambda: LambdaClient
  readonly cloudfront: CloudFrontClient
  /** How a function finds the emulator. */
  readonly environment: Readonly<Record<string, string>>
}

/**
 * Creates a relay by the API, and sends a request through the bundle of the relays' function. It runs next to the
 * emulator, which cannot stream answers, with the environment that the emulator has for the function.
 */
export async function checkRelay(check: RelayCheck): Promise<void> {
  const { service, folder, environment } = check
  await using destination = await startReceiver(({ body }, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ got: body })),
  )
  const relay = await made(
    service.call("POST", "/relays", {
      destinationDomain: destination.url.replace(/\/$/, ""),
      routes: [
        { path: "/**", request: [{ action: "encrypt", selections: [{ type: "json", selector: "$.card" }] }] },
      ],
    }),
  )
  const { relayDomain } = z.object({ relayDomain: z.string() }).parse(relay)
  await check.cloudfront.send(new GetDistributionTenantByDomainCommand({ Domain: relayDomain }))
  const { name, variables } = await findFunction(check, RELAY)
  const bundle = check.bundles.find(({ functionName }) => functionName === RELAY)
  if (bundle === undefined) throw new Error("There is no bundle of the relays' function")
  await mkdir(folder, { recursive: true })
  await unpackZip(await readFile(bundle.zipPath), folder)

  const event = {
    version: "2.0",
    rawPath: "/",
    rawQueryString: "",
    headers: {
      "x-relay-origin-secret": variables.SEALWAY_RELAY_ORIGIN_SECRET ?? "",
      "x-forwarded-host": relayDomain,
      "x-service-app-id": service.appId,
      "x-service-api-key": service.apiKey,
      "x-relay-viewer-ip": "203.0.113.9",
      "x-relay-target": "/pay",
      "content-type": "application/json",
    },
    requestContext: {
      domainName: "x.lambda-url.us-east-1.on.aws",
      http: { method: "POST", sourceIp: "192.0.2.1" },
    },
    body: JSON.stringify({ card: CARD, note: "as it is" }),
    isBase64Encoded: false,
  }
  const script = join(import.meta.dirname, "relay-process.ts")
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [script, join(folder, FUNCTION_FILE), JSON.stringify(event)],
    { cwd: folder, env: { ...variables, ...environment, AWS_LAMBDA_FUNCTION_NAME: name } },
  )
  const { head, body } = z
    .object({ head: z.object({ statusCode: z.number() }), body: z.string() })
    .parse(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? ""))
  assert.equal(head.statusCode, 200, body)
  const [request] = destination.received
  assert.ok(request)
  const { card, note } = z.object({ card: z.string(), note: z.string() }).parse(JSON.parse(request.body))
  assert.match(card, /^ev:/)
  assert.equal(note, "as it is")
  assert.deepEqual((await service.call("POST", "/decrypt", { card })).body, { card: CARD })
}

/** Finds a function as it was deployed, by its role. */
async function findFunction(
  { lambda, stage }: Pick<RelayCheck, "lambda" | "stage">,
  functionName: string,
): Promise<{ readonly name: string; readonly variables: Readonly<Record<string, string>> }> {
  for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {})) {
    const found = Functions.find(({ Role = "" }) => Role.endsWith(`/${roleName({ stage }, functionName)}`))
    if (found === undefined) continue
    const { FunctionName = "" } = found
    const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }))
    return { name: FunctionName, variables: Environment?.Variables ?? {} }
  }
  throw new Error(`The emulator has no function ${functionName}`)
}

/** Checks that what the service created while it ran has the tags of its stage. */
export async function checkTags(client: ResourceGroupsTaggingAPIClient, stage: string): Promise<void> {
  const TagFilters = Object.entries(runTimeTags(stage)).map(([Key, value]) => ({ Key, Values: [value] }))
  const { ResourceTagMappingList = [] } = await client.send(new GetResourcesCommand({ TagFilters }))
  const kinds = ResourceTagMappingList.map(({ ResourceARN = "" }) =>
    ResourceARN.replace(/^arn:aws:([a-z]+):[^:]*:\d*:([a-z-]+).*$/, "$1 $2"),
  )
  assert.deepEqual(kinds.sort(), ["cloudfront distribution-tenant", "lambda function"])
}

async function made(answer: ReturnType<DeployedService["call"]>): Promise<z.infer<typeof idSchema>> {
  const { status, body } = await answer
  assert.ok(status >= 200 && status < 300, `${status} ${JSON.stringify(body)}`)
  return idSchema.parse(body)
}

import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { buildFunctions } from "../../stacks/bundles/build-functions.ts"
import { findFunctions } from "../../stacks/bundles/find-functions.ts"
import { FUNCTION_FILE } from "../../stacks/bundles/function-bundle.ts"

/** Does what Lambda's runtime does with a function that streams, and prints the result. */
const RUNTIME = `
import { PassThrough } from "node:stream"
import { buffer } from "node:stream/consumers"
let head
globalThis.awslambda = {
  streamifyResponse: (handler) => handler,
  HttpResponseStream: { from: (output, given) => ((head = given), output) },
}
const { handler } = await import("./${FUNCTION_FILE}")
const output = new PassThrough()
const body = buffer(output)
await handler(JSON.parse(process.argv[2]), output, {})
console.log(JSON.stringify({ head, body: String(await body) }))
`

const EVENT = {
  version: "2.0",
  rawPath: "/",
  rawQueryString: "",
  headers: {},
  requestContext: {
    domainName: "x.lambda-url.us-east-1.on.aws",
    http: { method: "GET", sourceIp: "192.0.2.1" },
  },
}

const ENVIRONMENT = {
  AWS_REGION: "us-east-1",
  SEALWAY_CONFIG_TABLE: "config",
  SEALWAY_KEYS_TABLE: "keys",
  SEALWAY_AUDIT_TABLE: "audit",
  SEALWAY_EVENTS_TABLE: "events",
  SEALWAY_KMS_KEY_ID: "key",
  SEALWAY_RELAY_DOMAIN: "relay.example.com",
  SEALWAY_RELAY_ORIGIN_SECRET: "s".repeat(64),
}

let folder: string
beforeAll(async () => {
  // Outside the project, so that nothing is found in its node_modules.
  folder = await mkdtemp(join(tmpdir(), "sealway-relay-bundle-"))
  const [built] = await buildFunctions(
    (await findFunctions()).filter(({ functionName }) => functionName === "relay"),
  )
  if (built === undefined) throw new Error("There is no function relay")
  await writeFile(join(folder, FUNCTION_FILE), built.code)
  for (const library of built.libraries) await writeFile(join(folder, library.file), library.code)
  await writeFile(join(folder, "runtime.mjs"), RUNTIME)
}, 120_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Starts the bundle with only this environment, and calls it once. */
const run = (environment: Readonly<Record<string, string>>) =>
  promisify(execFile)(process.execPath, ["runtime.mjs", JSON.stringify(EVENT)], {
    cwd: folder,
    env: { ...environment },
  })

test("starts the relay function from its bundle alone, which refuses all but CloudFront with forbidden", async () => {
  const { head, body } = JSON.parse((await run(ENVIRONMENT)).stdout)
  expect(head).toMatchObject({ statusCode: 403, headers: { "x-service-error-code": "forbidden" } })
  expect(JSON.parse(body)).toMatchObject({ code: "forbidden" })
}, 60_000)

test("does not start the relay function without the secret that CloudFront sends", async () => {
  const { SEALWAY_RELAY_ORIGIN_SECRET: _, ...environment } = ENVIRONMENT
  await expect(run(environment)).rejects.toThrow("The origin secret is shorter than 32 characters")
}, 60_000)

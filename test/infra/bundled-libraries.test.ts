import { execFile } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type BuiltFunction, buildFunctions } from "../../stacks/bundles/build-functions.ts"
import { withCompileCaches } from "../../stacks/bundles/compile-cache.ts"
import { findFunctions } from "../../stacks/bundles/find-functions.ts"
import { FUNCTION_FILE } from "../../stacks/bundles/function-bundle.ts"
import { proxyEvent } from "../support/proxy-event.ts"

const ASKING = `
import { createEgress } from "./packages/service/http/src/egress/index.ts"
import { Agent, errors, Pool } from "undici"

export async function handler(origin: string) {
  const asked = { origin, path: "/", method: "GET" } as const
  const agent = await new Agent().request(asked)
  const pool = await new Pool(origin).request(asked)
  const egress = await createEgress({ allowPrivate: true }).post({ url: origin, headers: {}, body: "" })
  return [await agent.body.text(), await pool.body.text(), egress.status, typeof errors.UndiciError]
}
`

/** Reads an object. */
const READING = `
import { createAwsClients } from "./packages/service/ports/src/aws/aws-clients.ts"
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3"

export async function handler() {
  const { connect } = createAwsClients({ region: "us-east-1", endpoints: {} })
  await connect("s3", (config) => new S3Client(config)).send(new GetObjectCommand({ Bucket: "a", Key: "a" }))
}
`

let folder: string
beforeAll(async () => {
  // Outside the project, so that nothing is found in its node_modules.
  folder = await mkdtemp(join(tmpdir(), "sealway-bundled-libraries-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function run({ code, libraries }: BuiltFunction, argument: string): Promise<unknown> {
  const file = join(folder, FUNCTION_FILE)
  for (const library of libraries) await writeFile(join(folder, library.file), library.code)
  await writeFile(file, code)
  const script = `require(${JSON.stringify(file)}).handler(${JSON.stringify(argument)})
    .catch((error) => error.message)
    .then((result) => process.stdout.write(JSON.stringify(result), () => process.exit()))`
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", script], { cwd: folder, env: {} })
  return JSON.parse(stdout)
}

test("sends requests from a bundle, which holds only a part of the HTTP client", async () => {
  const server = createServer((_, response) => response.end("hello")).listen(0, "127.0.0.1")
  await once(server, "listening")
  try {
    const [built] = await buildFunctions([{ functionName: "ask", source: ASKING, grants: [] }])
    if (built === undefined) throw new Error("There is no bundle")
    const { port } = server.address() as AddressInfo
    const result = await run(built, `http://127.0.0.1:${port}`)
    expect(result).toEqual(["hello", "hello", 200, "function"])
    expect(built.sources.filter((path) => /undici.*(mock|cache|proxy)/.test(path))).toEqual([])
  } finally {
    server.close()
  }
}, 60_000)

test("holds a client of the SDK only in functions whose role may call its service, and refuses the call in others", async () => {
  const entry = { functionName: "read", source: READING }
  const holdsS3 = (sources: readonly string[]) => sources.some((path) => path.includes("client-s3"))
  const [allowed, refused] = await Promise.all([
    buildFunctions([{ ...entry, grants: ["s3:GetObject/files"] }]),
    buildFunctions([{ ...entry, grants: ["dynamodb:GetItem/config"] }]),
  ])
  expect([allowed, refused].map(([built]) => holdsS3(built?.sources ?? []))).toEqual([true, false])
  if (refused[0] === undefined) throw new Error("There is no bundle")
  expect(await run(refused[0], "")).toBe("This function may not call s3")
}, 60_000)

test("writes a metric into its log with the first answer, as CloudWatch reads it, and nothing about the request", async () => {
  const functions = (await findFunctions()).filter(({ functionName }) => functionName === "encrypt")
  const [built] = await buildFunctions(functions)
  if (built === undefined) throw new Error("There is no bundle")
  const files = await withCompileCaches(built, process.execPath)
  for (const { file, code } of files) await writeFile(join(folder, file), code)
  const event = proxyEvent({ method: "POST", path: "/encrypt", body: '"leak-marker-7f3a"' })
  const script = `require("./${FUNCTION_FILE}").handler(${JSON.stringify(event)}, { getRemainingTimeInMillis: () => 30_000 }).then(() => process.exit())`
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", script], {
    cwd: folder,
    env: {
      AWS_REGION: "us-east-1",
      AWS_LAMBDA_FUNCTION_NAME: "encrypt",
      SEALWAY_METRICS_STAGE: "ada",
      SEALWAY_CONFIG_TABLE: "config",
      SEALWAY_KEYS_TABLE: "keys",
      SEALWAY_AUDIT_TABLE: "audit",
      SEALWAY_EVENTS_TABLE: "events",
      SEALWAY_KMS_KEY_ID: "key",
      SEALWAY_LOG_LEVEL: "ERROR",
    },
  })
  const lines = stdout.split("\n").slice(0, -1)
  expect(lines).toHaveLength(1)
  const line = JSON.parse(lines[0] ?? "")
  expect(line).toMatchObject({
    _aws: { CloudWatchMetrics: [{ Namespace: "Sealway/ada", Dimensions: [["service"]] }] },
    service: "sealway",
    Requests: 1,
    Refusals: 1,
    ApiLatency: expect.any(Number),
  })
  expect(Object.keys(line).sort()).toEqual(["ApiLatency", "Refusals", "Requests", "_aws", "service"])
})

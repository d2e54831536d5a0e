import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { createApiKey } from "@sealway/platform"
import * as z from "zod"
import { type BuiltFunction, buildFunctions } from "../stacks/bundles/build-functions.ts"
import { findFunctions } from "../stacks/bundles/find-functions.ts"
import { FUNCTION_FILE } from "../stacks/bundles/function-bundle.ts"
import { proxyEvent } from "../test/support/proxy-event.ts"
import type { Row } from "./benchmark.ts"
import { median } from "./median.ts"
import { startServer } from "./server-process.ts"

const TURNS = 10

const portSchema = z.object({ port: z.int() })

export const description = `What each Lambda function is made of, and what its cold start pays for it. First the time from the start of a process until
\`handler\` is there, Node.js's own start included, median of ${TURNS} fresh processes with the file in the operating system's cache.
A handler that does nothing takes turns with it, and \`ratio\` is the median of its time divided by the function's: 0.25 is four
times as long. The size is that of the code, unpacked; where there is a limit, \`ratio\` is the limit divided by it. Cedar, 4.3 MB that some
zips hold besides, is in neither: it is loaded when a request first meets a policy. The first answer is that to a request with an unknown
API key, which takes one call of DynamoDB, here of a server on loopback.

V8's compile cache is not in the zips. It would save a sixth of an import, but V8 takes it only from the same version of Node.js, on the same kind of
processor and with the same flags, and Lambda chooses all three: it sets the size of the young generation by the function's memory.`

/** The endpoints that are called most. */
const CALLED_MOST = new Set(["encrypt", "decrypt"])
/** At most five times as long as a handler that does nothing. */
const REQUIRED_IMPORT = 0.2
const ALLOWED_KILOBYTES = 700
const BYTES_PER_KILOBYTE = 1_000

const EMPTY: Pick<BuiltFunction, "functionName" | "code"> = {
  functionName: "a handler that does nothing",
  code: Buffer.from("exports.handler = async () => ({ statusCode: 200 })\n"),
}

/** An import creates clients and reads configuration; it calls nothing. */
const ENVIRONMENT = {
  AWS_REGION: "us-east-1",
  AWS_ACCESS_KEY_ID: "none",
  AWS_SECRET_ACCESS_KEY: "none",
  SEALWAY_CONFIG_TABLE: "config",
  SEALWAY_EVENTS_TABLE: "events",
  SEALWAY_RUNS_TABLE: "runs",
  SEALWAY_PAYMENTS_TABLE: "payments",
  SEALWAY_KMS_KEY_ID: "key",
  SEALWAY_FUNCTION_PREFIX: "functions-",
  SEALWAY_FUNCTION_ROLE_ARN: "arn:aws:iam::000000000000:role/functions",
  SEALWAY_FUNCTION_CODE_BUCKET: "code",
  SEALWAY_FILE_BUCKET: "files",
  SEALWAY_RELAY_DOMAIN: "relay.example.com",
  SEALWAY_RELAY_ORIGIN_SECRET: "s".repeat(64),
}

/** Prints when the handler is loaded and, when there is an event, when it has answered, in milliseconds since the start of the process. */
const MEASURE = `const streams = { from: (output) => output }
globalThis.awslambda = { streamifyResponse: (handler) => handler, HttpResponseStream: streams }
const { handler } = require("./${FUNCTION_FILE}")
const importMs = performance.now()
if (typeof handler !== "function") throw new TypeError("There is no handler")
const { EVENT } = process.env
if (EVENT === undefined) process.stdout.write(String(importMs))
else handler(JSON.parse(EVENT), { awsRequestId: "1", getRemainingTimeInMillis: () => 30_000 }).then(({ statusCode }) => {
  const answerMs = performance.now()
  if (statusCode !== 401) throw new Error("Unexpected status " + statusCode)
  process.stdout.write(String(answerMs))
  process.exit()
})
`

export async function run(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "sealway-bench-"))
  try {
    const built = await buildFunctions(await findFunctions())
    const empty = await writeFunction(folder, "empty", EMPTY.code)
    const imports: Row[] = []
    const answers: Row[] = []
    const emptyMs: number[] = []
    for (const { functionName, code } of built) {
      const script = await writeFunction(folder, functionName, code)
      const turns = await takeTurns(empty, script)
      emptyMs.push(...turns.map((turn) => turn.emptyMs))
      imports.push({
        name: `${functionName}, ${Math.round(code.length / BYTES_PER_KILOBYTE)} kB`,
        figure: median(turns.map((turn) => turn.importMs)),
        unit: "ms",
        ratio: median(turns.map((turn) => turn.emptyMs / turn.importMs)),
        requiredRatio: CALLED_MOST.has(functionName) ? REQUIRED_IMPORT : null,
      })
      if (CALLED_MOST.has(functionName)) answers.push(await measureFirstAnswer(functionName, script))
    }
    const own = { name: EMPTY.functionName, figure: median(emptyMs), unit: "ms" }
    return [{ ...own, ratio: null, requiredRatio: null }, ...imports, ...answers, ...built.flatMap(sizeRow)]
  } finally {
    await rm(folder, { recursive: true })
  }
}

function sizeRow({ functionName, code }: BuiltFunction): readonly Row[] {
  if (!CALLED_MOST.has(functionName)) return []
  const figure = code.length / BYTES_PER_KILOBYTE
  const ratio = ALLOWED_KILOBYTES / figure
  return [{ name: `size of ${functionName}`, figure, unit: "kB", ratio, requiredRatio: 1 }]
}

/** @returns the path of a script that imports the function and prints when it is loaded */
async function writeFunction(folder: string, name: string, code: Uint8Array): Promise<string> {
  const own = join(folder, name)
  await mkdir(own)
  await writeFile(join(own, FUNCTION_FILE), code)
  const script = join(own, "measure.js")
  await writeFile(script, MEASURE)
  return script
}

async function takeTurns(empty: string, script: string) {
  const turns: { readonly emptyMs: number; readonly importMs: number }[] = []
  for (let turn = 0; turn < TURNS; turn++) {
    turns.push({ emptyMs: await measure(empty), importMs: await measure(script) })
  }
  return turns
}

async function measureFirstAnswer(functionName: string, script: string): Promise<Row> {
  const dynamodb = startServer("echo-server.ts", [])
  try {
    const { port } = portSchema.parse(await dynamodb.nextLine())
    const event = proxyEvent({
      method: "POST",
      path: `/${functionName}`,
      headers: { "api-key": createApiKey("sandbox"), "content-type": "application/json" },
      body: "{}",
    })
    const environment = {
      EVENT: JSON.stringify(event),
      AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}`,
    }
    const times: number[] = []
    for (let turn = 0; turn < TURNS; turn++) times.push(await measure(script, environment))
    const name = `first answer of ${functionName}`
    return { name, figure: median(times), unit: "ms", ratio: null, requiredRatio: null }
  } finally {
    dynamodb.stop()
  }
}

async function measure(script: string, environment: Readonly<Record<string, string>> = {}): Promise<number> {
  const env = { ...ENVIRONMENT, ...environment }
  const { stdout } = await promisify(execFile)(process.execPath, [script], { env })
  return Number(stdout)
}

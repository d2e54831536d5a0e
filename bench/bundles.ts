import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { createApiKey } from "@sealway/accounts"
import { ENDPOINTS } from "@sealway/api"
import * as z from "zod"
import { type BuiltFunction, buildFunctions } from "../stacks/bundles/build-functions.ts"
import { type BundleFile, IMPORT_ENVIRONMENT, withCompileCaches } from "../stacks/bundles/compile-cache.ts"
import { findFunctions } from "../stacks/bundles/find-functions.ts"
import { FUNCTION_FILE } from "../stacks/bundles/function-bundle.ts"
import { proxyEvent } from "../test/support/proxy-event.ts"
import type { Row } from "./benchmark.ts"
import { median } from "./median.ts"
import { startServer } from "./server-process.ts"

/** Enough to tell which function of a group is the slowest. */
const ROUGH_TURNS = 2
const TURNS = 10

const echoSchema = z.object({ url: z.string() })

export const description = `What each Lambda function is made of, and what its cold start pays for it. First the time from the start of a process until
\`handler\` is there, Node.js's own start included, median of ${TURNS} fresh processes with the file in the operating system's cache.
A handler that does nothing takes turns with it, and \`ratio\` is the median of its time divided by the function's: 0.4 is two and
a half times as long. Each group of functions has one row, for its slowest. The size is that of the code; where there is a limit, \`ratio\`
is the limit divided by it. A function holds the AWS SDK's clients of the services that its role may call: those of DynamoDB and KMS are two
fifths of \`encrypt\`, and loaded with it; that of SQS by the first message. What is next to it in some zips is not counted, as it is loaded when it is first used: Cedar, 4.3 MB, and the HTTP
client, 0.5 MB. The first answer is that to a request with an unknown API key, which takes one call of DynamoDB, here of a server on loopback.

V8's compile cache is next to the code, made by this Node.js, which also takes it. All figures are of the processor and the Node.js in
the last line. Functions in AWS run on arm64, and have [no cache by default](deployment.md#cold-starts): compare the rows without one.`

/** The endpoints that are called most. */
const CALLED_MOST = new Set(["encrypt", "decrypt"])
/** The time of a handler that does nothing, divided by the function's. */
const REQUIRED_OF_MOST_CALLED = 0.3
const REQUIRED = 0.25
const ALLOWED_KILOBYTES = 800
const BYTES_PER_KILOBYTE = 1_000

const EMPTY = Buffer.from("exports.handler = async () => ({ statusCode: 200 })\n")

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
    const empty = await writeFunction(folder, "empty", [{ file: FUNCTION_FILE, code: EMPTY }])
    const imports: Row[] = []
    const answers: Row[] = []
    const emptyMs: number[] = []
    for (const [group, functions] of Map.groupBy(built, groupOf)) {
      const { functionName, code, script } = await slowestOf(folder, functions)
      const turns = await takeTurns(empty, script)
      emptyMs.push(...turns.map((turn) => turn.emptyMs))
      const name = functions.length === 1 ? group : `${group}: ${functionName}, of ${functions.length}`
      const required = CALLED_MOST.has(functionName) ? REQUIRED_OF_MOST_CALLED : REQUIRED
      imports.push(importRow(`${name}, ${Math.round(code.length / BYTES_PER_KILOBYTE)} kB`, turns, required))
      if (!CALLED_MOST.has(functionName)) continue
      const plain = await writeFunction(folder, `${functionName}-plain`, [{ file: FUNCTION_FILE, code }])
      imports.push(importRow(`${functionName} without a compile cache`, await takeTurns(empty, plain), null))
      answers.push(await measureFirstAnswer(functionName, script))
    }
    const own = { name: "a handler that does nothing", figure: median(emptyMs), unit: "ms" }
    return [{ ...own, ratio: null, requiredRatio: null }, ...imports, ...answers, ...built.flatMap(sizeRow)]
  } finally {
    await rm(folder, { recursive: true })
  }
}

const AREAS = new Map(
  Object.entries(ENDPOINTS).flatMap(([area, endpoints]) => endpoints.map(({ id }) => [id, area] as const)),
)

/** Returns the area of an endpoint, or its own name. */
function groupOf({ functionName }: BuiltFunction): string {
  if (CALLED_MOST.has(functionName)) return functionName
  return AREAS.get(functionName) ?? (functionName === "relay" ? "relays' requests" : "workers")
}

async function slowestOf(folder: string, functions: readonly BuiltFunction[]) {
  const measured = []
  for (const each of functions) {
    const files = await withCompileCaches(each, process.execPath)
    const script = await writeFunction(folder, each.functionName, files)
    const times: number[] = []
    for (let turn = 0; turn < ROUGH_TURNS; turn++) times.push(await measure(script))
    measured.push({ ...each, script, leastMs: Math.min(...times) })
  }
  const [slowest] = measured.sort((left, right) => right.leastMs - left.leastMs)
  if (slowest === undefined) throw new Error("There is no function")
  return slowest
}

function sizeRow({ functionName, code }: BuiltFunction): readonly Row[] {
  if (!CALLED_MOST.has(functionName)) return []
  const figure = code.length / BYTES_PER_KILOBYTE
  const ratio = ALLOWED_KILOBYTES / figure
  return [{ name: `size of ${functionName}`, figure, unit: "kB", ratio, requiredRatio: 1 }]
}

/** @returns the path of a script that imports the function and prints when it is loaded */
async function writeFunction(folder: string, name: string, files: readonly BundleFile[]): Promise<string> {
  const own = join(folder, name)
  await mkdir(own)
  for (const { file, code } of files) await writeFile(join(own, file), code)
  const script = join(own, "measure.js")
  await writeFile(script, MEASURE)
  return script
}

interface Turn {
  readonly emptyMs: number
  readonly importMs: number
}

async function takeTurns(empty: string, script: string): Promise<readonly Turn[]> {
  const turns: Turn[] = []
  for (let turn = 0; turn < TURNS; turn++) {
    turns.push({ emptyMs: await measure(empty), importMs: await measure(script) })
  }
  return turns
}

function importRow(name: string, turns: readonly Turn[], requiredRatio: number | null): Row {
  const figure = median(turns.map((turn) => turn.importMs))
  const ratio = median(turns.map((turn) => turn.emptyMs / turn.importMs))
  return { name, figure, unit: "ms", ratio, requiredRatio }
}

async function measureFirstAnswer(functionName: string, script: string): Promise<Row> {
  const dynamodb = startServer("echo-server.ts", [])
  try {
    const { url } = echoSchema.parse(await dynamodb.nextLine())
    const event = proxyEvent({
      method: "POST",
      path: `/${functionName}`,
      headers: { "api-key": createApiKey("sandbox"), "content-type": "application/json" },
      body: "{}",
    })
    const environment = { EVENT: JSON.stringify(event), AWS_ENDPOINT_URL_DYNAMODB: url }
    const times: number[] = []
    for (let turn = 0; turn < TURNS; turn++) times.push(await measure(script, environment))
    const name = `first answer of ${functionName}`
    return { name, figure: median(times), unit: "ms", ratio: null, requiredRatio: null }
  } finally {
    dynamodb.stop()
  }
}

async function measure(script: string, environment: Readonly<Record<string, string>> = {}): Promise<number> {
  const env = { ...IMPORT_ENVIRONMENT, ...environment }
  const { stdout } = await promisify(execFile)(process.execPath, [script], { env })
  // What the handler logs comes first.
  const ms = Number(stdout.split("\n").at(-1))
  if (!Number.isFinite(ms) || ms <= 0) throw new Error(`${script} printed no time`)
  return ms
}

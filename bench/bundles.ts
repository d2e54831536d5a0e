import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { type BuiltFunction, buildFunctions } from "../stacks/bundles/build-functions.ts"
import { findFunctions } from "../stacks/bundles/find-functions.ts"
import type { Row } from "./benchmark.ts"
import { median } from "./median.ts"

const TURNS = 20

export const description = `What each Lambda function is made of, and what its cold start pays for it. First the time from the start of a process until
\`handler\` is there, Node.js's own start included, median of ${TURNS} fresh processes with the file in the operating system's cache.
A handler that does nothing takes turns with it, and \`ratio\` is the median of its time divided by the function's: 0.25 is four
times as long. The size is that of the code, unpacked; where there is a limit, \`ratio\` is the limit divided by it. Cedar, 4.3 MB that some
zips hold besides, is in neither: it is loaded when a request first meets a policy.`

/** The endpoints that are called most. */
const REQUIRED = new Set(["encrypt", "decrypt"])
/** A sixth: at most six times as long as a handler that does nothing. */
const REQUIRED_IMPORT = 0.167
const ALLOWED_KILOBYTES = 700
const BYTES_PER_KILOBYTE = 1_000

const EMPTY: Pick<BuiltFunction, "functionName" | "code"> = {
  functionName: "a handler that does nothing",
  code: Buffer.from("export const handler = async () => ({ statusCode: 200 })\n"),
}

/** An import creates clients and reads configuration; it calls nothing. */
const ENVIRONMENT = {
  AWS_REGION: "us-east-1",
  AWS_ACCESS_KEY_ID: "none",
  AWS_SECRET_ACCESS_KEY: "none",
  SEALWAY_CONFIG_TABLE: "config",
  SEALWAY_EVENTS_TABLE: "events",
  SEALWAY_RUNS_TABLE: "runs",
  SEALWAY_KMS_KEY_ID: "key",
  SEALWAY_FUNCTION_PREFIX: "functions-",
  SEALWAY_FUNCTION_ROLE_ARN: "arn:aws:iam::000000000000:role/functions",
  SEALWAY_FUNCTION_CODE_BUCKET: "code",
  SEALWAY_RELAY_DOMAIN: "relay.example.com",
  SEALWAY_RELAY_ORIGIN_SECRET: "s".repeat(64),
}

/** Prints when the handler is loaded, in milliseconds since the start of the process. */
const MEASURE = `const streams = { from: (output) => output }
globalThis.awslambda = { streamifyResponse: (handler) => handler, HttpResponseStream: streams }
const { handler } = await import("./index.mjs")
const elapsedMs = performance.now()
if (typeof handler !== "function") throw new TypeError("There is no handler")
process.stdout.write(String(elapsedMs))
`

export async function run(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "sealway-bench-"))
  try {
    const built = await buildFunctions(await findFunctions())
    const empty = await writeFunction(folder, "empty", EMPTY.code)
    const imports: Row[] = []
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
        requiredRatio: REQUIRED.has(functionName) ? REQUIRED_IMPORT : null,
      })
    }
    const own = { name: EMPTY.functionName, figure: median(emptyMs), unit: "ms" }
    return [{ ...own, ratio: null, requiredRatio: null }, ...imports, ...built.flatMap(sizeRow)]
  } finally {
    await rm(folder, { recursive: true })
  }
}

function sizeRow({ functionName, code }: BuiltFunction): readonly Row[] {
  if (!REQUIRED.has(functionName)) return []
  const figure = code.length / BYTES_PER_KILOBYTE
  const ratio = ALLOWED_KILOBYTES / figure
  return [{ name: `size of ${functionName}`, figure, unit: "kB", ratio, requiredRatio: 1 }]
}

/** @returns the path of a script that imports the function and prints when it is loaded */
async function writeFunction(folder: string, name: string, code: Uint8Array): Promise<string> {
  const own = join(folder, name)
  await mkdir(own)
  await writeFile(join(own, "index.mjs"), code)
  const script = join(own, "measure.mjs")
  await writeFile(script, MEASURE)
  return script
}

async function takeTurns(empty: string, script: string) {
  const turns: { readonly emptyMs: number; readonly importMs: number }[] = []
  for (let turn = 0; turn < TURNS; turn++) {
    turns.push({ emptyMs: await importMs(empty), importMs: await importMs(script) })
  }
  return turns
}

async function importMs(script: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [script], { env: ENVIRONMENT })
  return Number(stdout)
}

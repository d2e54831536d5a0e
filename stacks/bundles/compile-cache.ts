import { execFile, spawnSync } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import type { BuiltFunction } from "./build-functions.ts"
import { FUNCTION_FILE } from "./function-bundle.ts"

/** A file of a zip. */
export interface BundleFile {
  readonly file: string
  readonly code: Uint8Array
}

/** Returns the scripts of a function: its code, and its libraries. */
export function scriptsOf({
  code,
  libraries,
}: Pick<BuiltFunction, "code" | "libraries">): readonly BundleFile[] {
  return [{ file: FUNCTION_FILE, code }, ...libraries]
}

/**
 * Returns the names of the files that replace a script: its code, a script whose value is the function around a CommonJS
 * module, and the code's compile caches. V8 takes a cache only with the flags that it was made with, sizes of the heap
 * excepted: besides these, Lambda's runtimes for Node.js have had `--expose-gc`.
 */
export function partsOf(file: string) {
  const name = basename(file, ".js")
  return {
    code: `${name}.code.js`,
    caches: [
      { cache: `${name}.cache`, flag: "--no-expose-gc" },
      { cache: `${name}.gc.cache`, flag: "--expose-gc" },
    ],
  } as const
}

/** Returns what takes a script's place, and loads its code. */
function loaderOf(file: string): string {
  const {
    code,
    caches: [plain, exposed],
  } = partsOf(file)
  return `"use strict"
const { readFileSync } = require("node:fs")
const { join } = require("node:path")
const { Script } = require("node:vm")
const filename = join(__dirname, "${code}")
const cachedData = readFileSync(join(__dirname, typeof gc === "function" ? "${exposed.cache}" : "${plain.cache}"))
const script = new Script(readFileSync(filename, "utf8"), { filename, cachedData })
if (script.cachedDataRejected) console.warn('{"level":"WARN","message":"the compile cache is of another build of Node.js"}')
script.runInThisContext()(exports, require, module, __filename, __dirname)
`
}

/** What an import of a function needs of its environment. It creates clients and reads configuration; it calls nothing. */
export const IMPORT_ENVIRONMENT = {
  AWS_REGION: "us-east-1",
  AWS_ACCESS_KEY_ID: "none",
  AWS_SECRET_ACCESS_KEY: "none",
  SEALWAY_CONFIG_TABLE: "config",
  SEALWAY_KEYS_TABLE: "keys",
  SEALWAY_AUDIT_TABLE: "audit",
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

/** The Node.js that runs deployed functions. V8 takes compile caches only from the same build of it. */
export const LAMBDA_NODE = { platform: "linux", processor: "arm64", major: "24" } as const

/**
 * Returns the Node.js that makes compile caches: the one that `SEALWAY_LAMBDA_NODE` names, or null. There is no default,
 * because AWS builds its own: caches of another build are read by every cold start, and refused.
 *
 * @throws Error when it cannot be run, or is for another system, processor or version than the functions'
 */
export function compileCacheMaker({ SEALWAY_LAMBDA_NODE: named }: NodeJS.ProcessEnv): string | null {
  if (named === undefined || named === "") return null
  const ask = 'process.platform + " " + process.arch + " " + process.versions.node.split(".")[0]'
  const { stdout, error } = spawnSync(named, ["-p", ask], { encoding: "utf8", env: {} })
  const found = error === undefined ? stdout.trim() : error.message
  const wanted = Object.values(LAMBDA_NODE).join(" ")
  if (found === wanted) return named
  throw new Error(
    `SEALWAY_LAMBDA_NODE must be the Node.js of Lambda, which is ${wanted}. ${named} is ${found || "no Node.js"}.`,
  )
}

const MAKER = join(import.meta.dirname, "make-compile-caches.ts")
/** Without it, V8 puts random numbers into the caches, and equal code gives other bytes. V8 takes a cache with or without it. */
const SAME_EACH_TIME = "--random-seed=1"

/**
 * Returns the files of a function's zip, without Cedar. Beside each script is what V8 has compiled when it is imported,
 * so that a cold start need not. V8 takes that only from the same build of Node.js on the same kind of processor, and
 * compiles the code otherwise.
 *
 * @param program path of the Node.js that makes the caches
 * @throws Error when it cannot be run, or when the import fails
 */
export async function withCompileCaches(
  built: Pick<BuiltFunction, "functionName" | "code" | "libraries">,
  program: string,
): Promise<readonly BundleFile[]> {
  const folder = await mkdtemp(join(tmpdir(), "sealway-compile-cache-"))
  try {
    const scripts = scriptsOf(built)
    for (const script of scripts)
      await writeFile(join(folder, partsOf(script.file).code), wrapped(script.code))
    await makeCaches(program, [folder, ...scripts.map(({ file }) => file)], built.functionName)
    const files = scripts.flatMap(({ file }) => {
      const { code, caches } = partsOf(file)
      const made = [code, ...caches.map(({ cache }) => cache)].map(async (part) => ({
        file: part,
        code: await readFile(join(folder, part)),
      }))
      return [{ file, code: Buffer.from(loaderOf(file)) }, ...made]
    })
    return await Promise.all(files)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function wrapped(code: Uint8Array): Uint8Array {
  const before = Buffer.from("(function (exports, require, module, __filename, __dirname) {")
  return Buffer.concat([before, code, Buffer.from("\n})")])
}

const TIMEOUT_MS = 60_000
/** Node.js begins with the line that failed, which is all of the code. */
const MAX_REASON_CHARACTERS = 1_000

async function makeCaches(program: string, args: readonly string[], functionName: string): Promise<void> {
  const options = { env: IMPORT_ENVIRONMENT, timeout: TIMEOUT_MS }
  await new Promise<void>((resolve, reject) => {
    execFile(program, [SAME_EACH_TIME, MAKER, ...args], options, (error, _, stderr) => {
      if (error === null) return resolve()
      const end = `${error.code ?? error.signal}: ${stderr.slice(-MAX_REASON_CHARACTERS)}`
      reject(new Error(`${program} made no compile cache of ${functionName}: ${end}`))
    })
  })
}

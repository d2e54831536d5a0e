import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { buildFunctions } from "../../stacks/bundles/build-functions.ts"
import { bundleFunctions } from "../../stacks/bundles/bundle-functions.ts"
import {
  compileCacheMaker,
  IMPORT_ENVIRONMENT,
  LAMBDA_NODE,
  partsOf,
  withCompileCaches,
} from "../../stacks/bundles/compile-cache.ts"
import { FUNCTION_FILE } from "../../stacks/bundles/function-bundle.ts"
import { UNDICI_FILE } from "../../stacks/bundles/undici.ts"
import { readZip, unpackZip } from "./unpack-zip.ts"

/** What is joined when it is imported is then in the caches. */
const SOURCE = `
const text = ["cached", "text"].join(" ")
export const handler = async () => text
`

/** Those with which Lambda's runtimes for Node.js start it, at 1 GB. */
const LAMBDA_FLAGS = [
  "--expose-gc",
  "--max-http-header-size=81920",
  "--max-semi-space-size=51",
  "--max-old-space-size=922",
]

/** Where V8 has a hash of its version in a compile cache, after a number that all of them begin with. */
const VERSION_OFFSET = 4

const { code: CODE_FILE, caches } = partsOf(FUNCTION_FILE)

let folder: string
beforeEach(async () => {
  // Outside the project, so that nothing is found in its node_modules.
  folder = await mkdtemp(join(tmpdir(), "sealway-compile-cache-test-"))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function build() {
  const [built] = await buildFunctions([{ functionName: "say", source: SOURCE, grants: [] }])
  if (built === undefined) throw new Error("There is no bundle")
  return built
}

/** Returns what a program prints that runs next to the unpacked zip. */
async function run(program: string, flags: readonly string[] = []): Promise<string> {
  return (await runLogged(program, flags)).stdout
}

function runLogged(program: string, flags: readonly string[] = []) {
  const options = { cwd: folder, env: IMPORT_ENVIRONMENT }
  return promisify(execFile)(process.execPath, [...flags, "-e", program], options)
}

const SAY = `require("./${FUNCTION_FILE}").handler().then((text) => process.stdout.write(text))`

describe("a compile cache in a zip", () => {
  beforeEach(async () => {
    for (const { file, code } of await withCompileCaches(await build(), process.execPath)) {
      await writeFile(join(folder, file), code)
    }
    // Of the text, V8 compares only the length with the cache's: so what is said tells which of them ran.
    const code = await readFile(join(folder, CODE_FILE), "utf8")
    await writeFile(join(folder, CODE_FILE), code.replace('"cached"', '"parsed"'))
  })

  test.each([
    ["without flags", []],
    ["with the flags of Lambda's runtimes", LAMBDA_FLAGS],
    ["with other sizes of the heap", ["--expose-gc", "--max-semi-space-size=8", "--max-old-space-size=115"]],
  ])("is taken %s", async (_, flags) => {
    expect(await runLogged(SAY, flags)).toEqual({ stdout: "cached text", stderr: "" })
  })

  test("is refused with flags that change what V8 compiles, which the function logs, and it works", async () => {
    const { stdout, stderr } = await runLogged(SAY, ["--no-lazy"])
    expect(stdout).toBe("parsed text")
    expect(JSON.parse(stderr)).toMatchObject({
      level: "WARN",
      message: expect.stringContaining("another build"),
    })
  })

  test("is refused when it is of another version of V8, and the function works", async () => {
    for (const { cache: file } of caches) {
      const cache = await readFile(join(folder, file))
      cache.writeUInt8(cache.readUInt8(VERSION_OFFSET) ^ 1, VERSION_OFFSET)
      await writeFile(join(folder, file), cache)
    }
    expect(await run(SAY)).toBe("parsed text")
  })
})

test("equal code gives equal compile caches", async () => {
  const built = await build()
  const [first, second] = [
    await withCompileCaches(built, process.execPath),
    await withCompileCaches(built, process.execPath),
  ]
  expect(second).toEqual(first)
})

function filesOf(script: string): readonly string[] {
  const { code, caches } = partsOf(script)
  return [script, code, ...caches.map(({ cache }) => cache)]
}

test("functions with libraries, policies and streams are imported from zips with compile caches", async () => {
  const names = ["decrypt", "relay", "webhook-worker"]
  const bundles = await bundleFunctions(folder, { names, compileCachesBy: process.execPath })
  for (const { functionName, zipPath, bytes } of bundles) {
    const zip = await readFile(zipPath)
    const entries = readZip(zip)
    const own = entries.map(({ path }) => path).filter((path) => !path.startsWith("node_modules/"))
    const scripts = functionName === "decrypt" ? [FUNCTION_FILE] : [FUNCTION_FILE, UNDICI_FILE]
    expect(own).toEqual(scripts.flatMap(filesOf).sort())
    expect(entries.reduce((sum, { content }) => sum + content.length, 0)).toBe(bytes)

    await unpackZip(zip, join(folder, functionName))
    const program = `globalThis.awslambda = { streamifyResponse: (handler) => handler, HttpResponseStream: {} }
      process.stdout.write(typeof require("./${functionName}/${FUNCTION_FILE}").handler, () => process.exit())`
    expect(await run(program)).toBe("function")
  }
}, 60_000)

test("a Node.js that cannot be run is refused with its path", async () => {
  const program = join(folder, "no-such-node")
  await expect(withCompileCaches(await build(), program)).rejects.toThrow(
    `${program} made no compile cache of say`,
  )
})

describe("the Node.js that makes compile caches", () => {
  const program = async (says: string) => {
    const path = join(folder, "node")
    await writeFile(path, `#!/bin/sh\necho ${says}\n`, { mode: 0o755 })
    return path
  }

  test("is the one that is named, and none by default", async () => {
    const named = await program("linux arm64 24")
    expect(compileCacheMaker({ SEALWAY_LAMBDA_NODE: named })).toBe(named)
    for (const unnamed of [{}, { SEALWAY_LAMBDA_NODE: "" }]) expect(compileCacheMaker(unnamed)).toBeNull()
  })

  test.each(["linux x64 24", "linux arm64 22", "darwin arm64 24"])(
    "is refused when it is %s",
    async (says) => {
      const named = await program(says)
      expect(() => compileCacheMaker({ SEALWAY_LAMBDA_NODE: named })).toThrow(
        `SEALWAY_LAMBDA_NODE must be the Node.js of Lambda, which is linux arm64 24. ${named} is ${says}.`,
      )
    },
  )

  test("is refused when it cannot be run", () => {
    const named = join(folder, "no-such-node")
    expect(() => compileCacheMaker({ SEALWAY_LAMBDA_NODE: named })).toThrow("ENOENT")
  })

  test("tells its own system, processor and version", () => {
    const [version = ""] = process.versions.node.split(".")
    const ours = [process.platform, process.arch, version].join(" ")
    const ask = () => compileCacheMaker({ SEALWAY_LAMBDA_NODE: process.execPath })
    if (ours === Object.values(LAMBDA_NODE).join(" ")) expect(ask()).toBe(process.execPath)
    else expect(ask).toThrow(`${process.execPath} is ${ours}.`)
  })
})

import { execFile } from "node:child_process"
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { env } from "node:process"
import { promisify } from "node:util"
import { environmentOf } from "@sealway/local/testing"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { installPythonTool, type PythonTool } from "../../scripts/python-tool.ts"
import { createSelfSigned } from "../support/self-signed.ts"
import { useService } from "../support/service.ts"
import { ROOT } from "../support/start.ts"

const run = promisify(execFile)
const PACKAGE = join(ROOT, "clients/python")
/** What builds and checks the package, and what it depends on. */
const TOOLS: PythonTool = {
  packageName: "sealway-python",
  requirements: [
    ...["build==1.6.1", "hatchling==1.33.0", "mypy==2.4.1", "pytest==9.2.0", "ruff==0.17.6"],
    ...["httpx==0.28.1", "cryptography==50.0.2"],
  ],
  command: "pytest",
  variable: "SEALWAY_PYTEST",
}

const destination = createSelfSigned("DNS:localhost")
const service = useService("container", { trust: [destination.certificate] })
let folder: string
/** Null: Python or what it needs is not there. */
let python: string | null

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sealway-python-"))
  const pytest = installPythonTool(TOOLS, ROOT, env)
  python = pytest && join(dirname(pytest), "python")
  if (python === null) process.stdout.write("The Python SDK is not tested: Python 3.10 or PyPI is missing.\n")
  if (python === null) return
  await inPackage("build", "--no-isolation", "--outdir", folder)
  await inPackage("pip", "install", "--quiet", "--force-reinstall", "--no-deps", await built(".whl"))
}, 300_000)
afterAll(() => rm(folder, { recursive: true }))

async function built(end: string): Promise<string> {
  const name = (await readdir(folder)).find((each) => each.endsWith(end))
  return join(folder, name ?? `no ${end}`)
}

/** Runs a module of Python in the folder of the package, and leaves nothing there. */
async function inPackage(module: string, ...args: readonly string[]): Promise<string> {
  try {
    const options = { cwd: PACKAGE, env: variables(), maxBuffer: 64 * 1024 * 1024 }
    return (await run(python ?? "", ["-m", module, ...args], options)).stdout
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string }
    throw new Error(`python -m ${module} has failed:\n${stdout}${stderr}`)
  }
}

function variables(): NodeJS.ProcessEnv {
  const { user, key } = service.sandbox.auth
  const { relayUrl, proxyUrl, caUrl } = service.service
  const addresses = { url: service.url, relayUrl, proxyUrl, caUrl, strictProxyUrl: "" }
  const credentials = {
    teamId: service.team.id,
    teamKey: service.team.auth.key,
    apps: [{ id: user, environment: "sandbox" as const, apiKey: key }],
  }
  const cache = join(ROOT, "node_modules/.cache/sealway-python")
  return {
    PATH: env.PATH,
    HOME: folder,
    PYTHONDONTWRITEBYTECODE: "1",
    MYPY_CACHE_DIR: join(cache, "mypy"),
    ...environmentOf(addresses, credentials),
    SEALWAY_VECTORS: join(ROOT, "packages/core/tokens/vectors"),
    SEALWAY_PAGES: [join(PACKAGE, "README.md"), join(ROOT, "docs/sdk.md")].join(delimiter),
    DESTINATION_CERTIFICATE: join(folder, "certificate.pem"),
    DESTINATION_KEY: join(folder, "key.pem"),
  }
}

describe("the Python SDK, built as it is published", () => {
  test("has its code, its types and the licence, and neither tests nor generated leftovers", async ({
    skip,
  }) => {
    if (python === null) skip()
    const names = (await inPackage("zipfile", "--list", await built(".whl"))).match(/^\S+(?= )/gm) ?? []
    const others = names.slice(1).filter((name) => !/^sealway\/(\w+\/)?\w+\.py$/.test(name))
    expect(others.map((name) => name.replace(/-[\d.]+\.dist-info/, "")).toSorted()).toEqual([
      ...[
        "sealway/METADATA",
        "sealway/RECORD",
        "sealway/WHEEL",
        "sealway/licenses/LICENSE",
        "sealway/py.typed",
      ],
    ])
    expect(names).toContain("sealway/_generated/operations.py")
    expect(await built(".tar.gz")).toMatch(/sealway-\d+\.\d+\.\d+\.tar\.gz$/)
  })

  test("passes its own tests with this service, on both clients", { timeout: 300_000 }, async ({ skip }) => {
    if (python === null) skip()
    await writeFile(join(folder, "certificate.pem"), destination.certificate)
    await writeFile(join(folder, "key.pem"), destination.privateKey)
    const output = await inPackage("pytest", "--basetemp", join(folder, "pytest"))
    process.stdout.write(`The Python SDK: ${output.trim().split("\n").at(-1)}\n`)
    expect(output).toMatch(/^\d{3,} passed/m)
  })

  test("is strictly typed, formatted and free of what ruff finds", { timeout: 120_000 }, async ({ skip }) => {
    if (python === null) skip()
    expect(await inPackage("mypy", "src", "tests")).toMatch(/^Success/)
    await inPackage("ruff", "check", "--no-cache")
    await inPackage("ruff", "format", "--check", "--no-cache")
  })
})

import { execFile, execFileSync } from "node:child_process"
import { readFile } from "node:fs/promises"
import { env, execPath } from "node:process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import { useService } from "../support/service.ts"

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL("../../", import.meta.url))
const DOCUMENTS = ["docs/clients.md", "docs/encrypt-and-decrypt.md"]
const PYTHON = env.EVERVAULT_PYTHON ?? "python3"
const service = useService()

/** Returns the blocks of a document that contain a text. */
async function snippetsOf(document: string, language: string, text: string): Promise<string[]> {
  const page = await readFile(`${ROOT}${document}`, "utf8")
  const blocks = page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))
  return [...blocks].map(([, block = ""]) => block).filter((block) => block.includes(text))
}

/** Returns the variables that the page says to set. */
function variables(end: string): NodeJS.ProcessEnv {
  const { url, proxyUrl, caUrl } = service.service
  const addresses = { EV_API_URL: `${url}${end}`, EV_TUNNEL_HOSTNAME: proxyUrl, EV_CERT_HOSTNAME: caUrl }
  const { user, key } = service.sandbox.auth
  return { ...env, ...addresses, SEALWAY_APP: user, SEALWAY_API_KEY: key }
}

function hasPythonSdk(): boolean {
  try {
    execFileSync(PYTHON, ["-c", "import evervault"], { stdio: "pipe" })
    return true
  } catch {
    return false
  }
}

describe.each(DOCUMENTS)("the snippets of %s encrypt a card and decrypt it", (document) => {
  test("in Node.js", async () => {
    const [snippet = "", ...more] = await snippetsOf(document, "js", 'require("@evervault/sdk")')
    expect(more).toEqual([])
    const { stdout } = await run(execPath, ["-e", snippet], { cwd: ROOT, env: variables("") })
    expect(stdout).toContain("4242424242424242")
  })

  const isSkipped = !hasPythonSdk()
  const title = isSkipped
    ? "in Python (skipped: pip install evervault, and name the interpreter in EVERVAULT_PYTHON)"
    : "in Python"
  test.skipIf(isSkipped)(title, async () => {
    const [snippet = "", ...more] = await snippetsOf(document, "python", "import evervault")
    expect(more).toEqual([])
    const { stdout } = await run(PYTHON, ["-c", snippet], { cwd: ROOT, env: variables("/") })
    expect(stdout).toContain("4242424242424242")
  })
})

import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { env, execPath } from "node:process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import { useService } from "../support/service.ts"
import { SNIPPET_LANGUAGES, tryCommand } from "./vendors/languages.ts"
import { findPython } from "./vendors/python.ts"

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL("../../", import.meta.url))
const DOCUMENTS = ["docs/clients.md", "docs/encrypt-and-decrypt.md"]
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
  const ofSealway = { SEALWAY_URL: url, SEALWAY_PROXY_URL: proxyUrl, SEALWAY_CA_URL: caUrl }
  const { user, key } = service.sandbox.auth
  return { ...env, ...addresses, ...ofSealway, SEALWAY_APP: user, SEALWAY_API_KEY: key }
}

describe.each(DOCUMENTS)("the snippets of %s encrypt a card and decrypt it", (document) => {
  test("in Node.js", async () => {
    const [snippet = "", ...more] = await snippetsOf(document, "js", 'require("@evervault/sdk")')
    expect(more).toEqual([])
    const { stdout } = await run(execPath, ["-e", snippet], { cwd: ROOT, env: variables("") })
    expect(stdout).toContain("4242424242424242")
  })

  test("in Python", async ({ skip }) => {
    const python = await findPython()
    if (python === null) return skip("needs python3 and access to PyPI, or EVERVAULT_PYTHON")
    const [snippet = "", ...more] = await snippetsOf(document, "python", "import evervault")
    expect(more).toEqual([])
    const { stdout } = await run(python, ["-c", snippet], { cwd: ROOT, env: variables("/") })
    expect(stdout).toContain("4242424242424242")
  }, 300_000)
})

test.for(SNIPPET_LANGUAGES)(
  "the snippet of docs/clients.md in $name is compiled and run, or read where its package cannot be fetched",
  { timeout: 300_000 },
  async ({ name, file, fetch, run: runSnippet, parse, lacks }, { skip }) => {
    const folder = await mkdtemp(join(tmpdir(), "sealway-snippet-"))
    try {
      const [snippet = "", ...more] = await snippetsOf("docs/clients.md", name, "4242424242424242")
      expect(more).toEqual([])
      await writeFile(join(folder, file), snippet)
      const read = await tryCommand(parse, folder)
      if (read === null) return skip(`needs ${parse[0]}`)
      const errors = read.output.split("\n").filter((line) => line.includes("rror: "))
      const isRead = read.isDone || (lacks !== undefined && errors.every((line) => lacks.test(line)))
      expect(isRead, read.output).toBe(true)
      for (const command of fetch) {
        if (!(await tryCommand(command, folder))?.isDone) return skip(`${command.join(" ")} fails`)
      }
      const ran = await tryCommand(runSnippet, folder, variables(""))
      expect(ran?.isDone, ran?.output).toBe(true)
      if (name !== "java") expect(ran?.output).toContain("4242424242424242")
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
)

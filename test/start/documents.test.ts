import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, onTestFinished, test } from "vitest"
import { ROOT, startReady, withFolder } from "../support/start.ts"

const shell = promisify(execFile)

/** The `sh` blocks of a document, in order. */
async function commandsOf(document: string): Promise<string[]> {
  const text = await readFile(join(ROOT, document), "utf8")
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands = ""]) => commands)
}

/** Runs blocks one after another in one folder, as a reader who pastes them would. */
async function paste(blocks: readonly string[], folder: string): Promise<string> {
  const script = ["set -eu", "set -o pipefail", ". .sealway/env", ...blocks].join("\n")
  const { stdout } = await shell("bash", ["-c", script.replaceAll("curl ", "curl -sS --fail-with-body ")], {
    cwd: folder,
  })
  return stdout
}

describe("the README", () => {
  test("shows commands that work from the first to the last", () =>
    withFolder(async (folder) => {
      const [first, second = ""] = await commandsOf("README.md")
      expect(first).toBe("npm start\n")
      const { stop } = await startReady(join(folder, ".sealway"))
      const output = await paste([second], folder)
      expect(output).toMatch(/^\{"name": "ev:debug:Tk9D:[^"]+", "card": "ev:debug:Tk9D:[^"]+"\}/)
      expect(output.endsWith('{"name": "Ada Lovelace", "card": "4242424242424242"}')).toBe(true)
      await stop()
    }))

  test("fits on one screen", async () => {
    const lines = (await readFile(join(ROOT, "README.md"), "utf8")).split("\n")
    expect(lines.length).toBeLessThanOrEqual(60)
  })
})

describe("the documentation", () => {
  test.each([
    ["docs/encrypt-and-decrypt.md", [/"category":"card-number"/, /"version":2\}$/]],
    ["docs/data-policies.md", [/"failedConditions":\["ipRanges","time.daily"\]/, /"evaluated":0/]],
    ["docs/client-side-tokens.md", [/"token":"eyJ/, /\{"card": "4242424242424242"\}$/]],
    ["docs/teams-and-keys.md", [/"key":"swk_sandbox_/, /"action":"api-key.create"/, /"name":"Depot"/]],
  ])("shows commands in %s that work from the first to the last", (document, outputs) =>
    withFolder(async (folder) => {
      const { stop } = await startReady(join(folder, ".sealway"))
      const output = await paste(await commandsOf(document), folder)
      for (const expected of outputs) expect(output).toMatch(expected)
      await stop()
    }),
  )

  test("shows commands in docs/relay.md that work, by a server that answers what it is sent", () =>
    withFolder(async (folder) => {
      const { stop } = await startReady(join(folder, ".sealway"))
      const echo = spawn(process.execPath, ["examples/relay/echo-server.mjs"], {
        cwd: ROOT,
        env: { PORT: "0" },
        stdio: ["ignore", "pipe", "inherit"],
      })
      onTestFinished(() => void echo.kill())
      const [line] = await once(echo.stdout, "data")
      const [host = ""] = /127\.0\.0\.1:\d+/.exec(String(line)) ?? []
      const blocks = (await commandsOf("docs/relay.md")).map((block) =>
        block
          .replaceAll("127.0.0.1:3100", host)
          .replaceAll("npx sealway", `"${process.execPath}" "${join(ROOT, "packages/cli/bin/sealway.mjs")}"`),
      )
      const output = await paste(blocks, folder)
      expect(output).toMatch(/^\{"order": 17, "card": \{"number": "ev:debug:[^"]+"\}\}/)
      expect(output).toContain('{"order": 17, "card": {"number": "4242424242424242"}}')
      expect(output).toContain('"code":"matched-nothing"')
      expect(output).toMatch(/"mode":"(forward|reverse)".*"routes":\["/)
      expect(output).toContain("leakWatch")
      await stop()
    }))

  test("shows commands in docs/running-locally.md that back up, restore and check", () =>
    withFolder(async (folder) => {
      const { stop } = await startReady(join(folder, ".sealway"))
      const blocks = (await commandsOf("docs/running-locally.md")).map((block) =>
        block.replaceAll(
          "npx sealway",
          `"${process.execPath}" "${join(ROOT, "packages/cli/bin/sealway.mjs")}"`,
        ),
      )
      expect(await paste(blocks, folder)).toMatch(/^sealway\.backup\nmanifest\tok(?:.|\n)*\nfolder\tok/)
      await stop()
    }))

  test("links only to files that exist", async () => {
    const documents = ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...(await filesIn("docs"))]
    for (const document of documents) {
      const text = await readFile(join(ROOT, document), "utf8")
      const targets = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target = ""]) => target)
      for (const target of targets) {
        await expect(
          readFile(join(ROOT, document, "..", target)),
          `${document} → ${target}`,
        ).resolves.toBeTruthy()
      }
    }
  })
})

async function filesIn(folder: string): Promise<string[]> {
  return (await readdir(join(ROOT, folder)))
    .filter((file) => file.endsWith(".md"))
    .map((file) => join(folder, file))
}

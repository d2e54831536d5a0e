import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { PAGES } from "../documents/read-documents.ts"
import { ROOT, type StartedProcess, startReady, withFolder } from "../support/start.ts"

const shell = promisify(execFile)
const SEALWAY = `"${process.execPath}" "${join(ROOT, "packages/clients/cli/bin/sealway.mjs")}"`

/** Returns the `sh` blocks of a document, in order. */
async function commandsOf(document: string): Promise<string[]> {
  const text = await readFile(join(ROOT, document), "utf8")
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands = ""]) => commands)
}

/** Runs blocks one after another in one folder, as a reader who pastes them would. */
async function paste(blocks: readonly string[], folder: string): Promise<string> {
  const script = ["set -eu", "set -o pipefail", ". .sealway/env", ...blocks].join("\n")
  const { stdout } = await shell(
    "bash",
    ["-c", script.replaceAll("curl ", "curl -sS --fail-with-body ").replaceAll("npx sealway", SEALWAY)],
    { cwd: folder },
  )
  return stdout
}

/** The folder in which the service of all tests was started, as a reader starts it. */
let home: { readonly folder: string; readonly service: StartedProcess }
const ending = Promise.withResolvers<void>()
let ended: Promise<void>

beforeAll(async () => {
  const started = Promise.withResolvers<typeof home>()
  ended = withFolder(async (folder) => {
    const service = await startReady(join(folder, ".sealway"))
    started.resolve({ folder, service })
    await ending.promise
    await service.stop()
  })
  ended.catch(started.reject)
  home = await started.promise
})
afterAll(async () => {
  ending.resolve()
  await ended
})

/** Uses the folder of a reader of one page: the same service, and an app that no other page has used. */
async function asReader<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const environment = await readFile(join(home.folder, ".sealway", "env"), "utf8")
  const variable = (name: string) => new RegExp(`^export ${name}=(.*)$`, "m").exec(environment)?.[1] ?? ""
  const post = async (path: string, body: object): Promise<{ id: string; key: string }> => {
    const answer = await fetch(`${variable("SEALWAY_URL")}${path}`, {
      method: "POST",
      headers: { "api-key": variable("SEALWAY_TEAM_KEY"), "content-type": "application/json" },
      body: JSON.stringify(body),
    })
    expect(answer.status).toBe(201)
    return JSON.parse(await answer.text())
  }
  const { id } = await post("/apps", { name: "Reader", environment: "sandbox" })
  const { key } = await post(`/apps/${id}/api-keys`, { name: "Reader", scopes: ["*"] })
  return withFolder(async (folder) => {
    await mkdir(join(folder, ".sealway"))
    const own = `${environment}export SEALWAY_APP=${id}\nexport SEALWAY_API_KEY=${key}\n`
    await writeFile(join(folder, ".sealway", "env"), own)
    return use(folder)
  })
}

describe("the README", () => {
  test("shows commands that work from the first to the last", async () => {
    const [first, second = ""] = await commandsOf("README.md")
    expect(first).toBe("npm start\n")
    const output = await paste([second], home.folder)
    expect(output).toMatch(/^\{"name": "ev:debug:Tk9D:[^"]+", "card": "ev:debug:Tk9D:[^"]+"\}/)
    expect(output.endsWith('{"name": "Ada Lovelace", "card": "4242424242424242"}')).toBe(true)
  })

  test("fits on one screen", async () => {
    const lines = (await readFile(join(ROOT, "README.md"), "utf8")).split("\n")
    expect(lines.length).toBeLessThanOrEqual(60)
  })
})

describe("the documentation", () => {
  test.each([
    ["docs/encrypt-and-decrypt.md", [/"category":"card-number"/, /"version":2\}$/]],
    [
      "docs/data-policies.md",
      [
        /"failedConditions":\["ipRanges","time.daily"\]/,
        /"evaluated":0/,
        /proved .*no page ever/,
        /through relays, to api/,
        /"access":\{"known":true/,
      ],
    ],
    [
      "docs/data-roles.md",
      [/"card": ?"424242•••4242"/, /"email": ?"a•••@example.com"/, /"card": ?"4242424242424242"\}\s*\{/],
    ],
    ["docs/client-side-tokens.md", [/"token":"eyJ/, /\{"card": "4242424242424242"\}$/]],
    ["docs/payments.md", [/"matchPrecision":6/, /"match-performed"/, /"id":"merchant_/, /"id":"acquirer_/]],
    ["docs/teams-and-keys.md", [/"key":"swk_sandbox_/, /"action":"api-key.create"/, /"name":"Depot"/]],
    ["docs/formats.md", [/"name":"staff"/, /\{"card": "\d{4} \d{4} \d{4} 4242"\}/]],
    [
      "docs/honey-tokens.md",
      [/"name":"Backup of May"/, /customers, row 4711\t.*\tnever/, /(?:\n[12],.*,ev:.*){5}/],
    ],
    ["docs/data-subjects.md", [/"name": "ev:debug:c3cy:/, /status\tactive(?:.|\n)*status\terased/]],
    ["docs/members.md", [/\/sign-in#code=/, /ada@example.com\s+developer/]],
  ])("shows commands in %s that work from the first to the last", (document, outputs) =>
    asReader(async (folder) => {
      const output = await paste(await commandsOf(document), folder)
      for (const expected of outputs) expect(output).toMatch(expected)
    }),
  )

  test("shows commands in docs/webhooks.md that work, where a server receives the events", () =>
    asReader(async (folder) => {
      const receiver = createServer((request, response) => {
        request.resume().on("end", () => response.writeHead(204).end())
      }).listen(0, "127.0.0.1")
      onTestFinished(() => void receiver.close())
      await once(receiver, "listening")
      const address = receiver.address()
      const port = typeof address === "object" ? address?.port : undefined
      const blocks = (await commandsOf("docs/webhooks.md")).map((block) => block.replace(":3000", `:${port}`))
      const delivered = `until curl -u "$SEALWAY_APP:$SEALWAY_API_KEY" "$SEALWAY_URL/webhook-events/$EVENT" | grep -q 'status":"delivered.*status":"delivered'; do sleep 0.1; done\n`
      const output = await paste(blocks.toSpliced(2, 0, delivered), folder)
      expect(output.match(/"secret":"whsec_/g)).toHaveLength(2)
      expect(output).toMatch(/"type":"webhook.test".*"deliveries":\[\{"endpoint":"webhook_endpoint_/)
    }))

  test("shows commands in docs/relay.md that work, by a server that answers what it is sent", () =>
    asReader(async (folder) => {
      const echo = spawn(process.execPath, ["examples/relay/echo-server.mjs"], {
        cwd: ROOT,
        env: { PORT: "0" },
        stdio: ["ignore", "pipe", "inherit"],
      })
      onTestFinished(() => void echo.kill())
      const [line] = await once(echo.stdout, "data")
      const [host = ""] = /127\.0\.0\.1:\d+/.exec(String(line)) ?? []
      const blocks = (await commandsOf("docs/relay.md")).map((block) =>
        block.replaceAll("127.0.0.1:3100", host),
      )
      const output = await paste(blocks, folder)
      expect(output).toMatch(/^\{"order": 17, "card": \{"number": "ev:debug:[^"]+"\}\}/)
      expect(output).toContain('{"order": 17, "card": {"number": "4242424242424242"}}')
      expect(output).toContain('"code":"matched-nothing"')
      expect(output).toMatch(/"mode":"(forward|reverse)".*"routes":\["/)
      expect(output).toContain("leakWatch")
    }))

  test("shows commands in docs/running-locally.md that back up, restore and check", async () => {
    const output = await paste(await commandsOf("docs/running-locally.md"), home.folder)
    expect(output).toMatch(/^sealway\.backup\nmanifest\tok(?:.|\n)*\nfolder\tok/)
  })

  test("links only to files that exist", async () => {
    for (const document of PAGES) {
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

  test("is reached from the README, page by page", async () => {
    const readme = await readFile(join(ROOT, "README.md"), "utf8")
    const pages = (await readdir(join(ROOT, "docs"))).filter((file) => file.endsWith(".md"))
    expect(pages.filter((page) => !readme.includes(`(docs/${page})`))).toEqual([])
  })
})

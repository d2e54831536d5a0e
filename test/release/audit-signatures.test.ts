import { execFile } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import { ROOT } from "../support/start.ts"

const shell = promisify(execFile)
const audit = (registry: string) =>
  shell("bash", [join(ROOT, ".ci", "audit-signatures")], {
    env: { ...process.env, npm_config_registry: registry, npm_config_fetch_retries: "0" },
  })

/** Starts a registry that gives the given answers, and knows nothing else. */
async function startRegistry(answers: Readonly<Record<string, unknown>>): Promise<string> {
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ""]
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" })
    response.end(JSON.stringify(answer ?? {}))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

test("says that the check is skipped where the registry does not answer, and does not fail", async () => {
  const { stdout } = await audit("http://127.0.0.1:1/")
  expect(stdout).toBe("npm audit signatures: skipped, the registry does not give its keys.\n")
})

test("says that the check is skipped where the registry signs nothing", async () => {
  const { stdout } = await audit(await startRegistry({}))
  expect(stdout).toContain("skipped")
})

test("fails where the registry has keys, and none of them signed what is installed", async () => {
  const registry = await startRegistry({ "/-/npm/v1/keys": { keys: [] } })
  await expect(audit(registry)).rejects.toMatchObject({ code: 1 })
}, 120_000)

import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as z from "zod"
import { liftLimits } from "../lift-limits.ts"

export type Sealway = Awaited<ReturnType<typeof startSealway>>

const MAIN = fileURLToPath(new URL("../../packages/hosts/local/src/main.ts", import.meta.url))

const startedSchema = z.object({
  url: z.string(),
  relayUrl: z.string(),
  proxyUrl: z.string(),
  caUrl: z.string(),
  teamKey: z.string(),
  apps: z.array(z.object({ id: z.string(), apiKey: z.string() })).min(1),
})
const relaySchema = z.object({ relayDomain: z.string() })

/** Starts Sealway in a separate process that trusts the destination's certificate, which is in a folder. */
export async function startSealway(folder: string, data: string, more: readonly string[]) {
  const trust = join(folder, "certificate.pem")
  const options = ["--port", "0", "--data", data, "--json", "--trust", trust, ...more]
  const child = spawn(process.execPath, [MAIN, ...options], { stdio: ["ignore", "pipe", "inherit"] })
  const [line] = await once(child.stdout, "data")
  const { apps, teamKey, ...addresses } = startedSchema.parse(JSON.parse(String(line)))
  const [app] = apps
  if (app === undefined) throw new Error("A start makes two apps")
  await liftLimits({ url: addresses.url, credentials: { teamKey, apps } })
  return {
    ...addresses,
    app,
    pid: child.pid ?? 0,
    async createRelay(destinationDomain: string, request: readonly object[]): Promise<string> {
      const routes = request.length === 0 ? [] : [{ method: null, path: "/**", request, response: [] }]
      const response = await fetch(`${addresses.url}/relays`, {
        method: "POST",
        headers: { "api-key": app.apiKey, "content-type": "application/json" },
        body: JSON.stringify({ destinationDomain, routes }),
      })
      const answer: unknown = await response.json()
      if (!response.ok) throw new Error(`No relay: ${JSON.stringify(answer)}`)
      return relaySchema.parse(answer).relayDomain
    },
    async stop() {
      const ended = once(child, "exit")
      child.kill()
      await ended
    },
  }
}

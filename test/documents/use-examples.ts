import { readFileSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { beforeAll } from "vitest"
import * as z from "zod"
import { type CliResult, run } from "../cli/cli.ts"
import { IMAGE_SECTIONS, writeEnclaveImage } from "../support/enclave-image.ts"
import { deployFunction } from "../support/functions.ts"
import { useService } from "../support/service.ts"

/** A service with one thing of each kind that commands of the pages name. */
export interface Examples {
  /** The files that commands read. */
  writeFiles(folder: string): Promise<void>
  /** Runs a command with the names of real things in the places of `<id>`, `key_…` and the like. */
  run(args: readonly string[], folder: string, profile?: string): Promise<CliResult>
}

const idSchema = z.object({ id: z.string() })
const PLACEHOLDER = /^(?:<.*>|\w*_?…)$/
const CODE = "export const handler = async (payload) => payload"

export function useExamples(): Examples {
  const service = useService()
  let relay = ""
  let webhook = ""
  let event = ""
  let head = ""

  const made = async (path: string, body: unknown, options = {}) => {
    const { status, text, json } = await service.post(path, body, options)
    if (status >= 300) throw new Error(`POST ${path} answers ${status}: ${text}`)
    return idSchema.parse(json).id
  }
  const team = () => ({ auth: service.team.auth })
  const environment = () => ({
    SEALWAY_URL: service.url,
    SEALWAY_APP: service.sandbox.app.id,
    SEALWAY_API_KEY: service.sandbox.auth.key,
    SEALWAY_TEAM_KEY: service.team.auth.key,
  })

  beforeAll(async () => {
    for (const name of ["charge", "unused"]) await deployFunction(service, name, "index.mjs", CODE)
    await service.newRole(service.sandbox.app, "pci")
    const encrypt = [{ action: "encrypt", selections: [{ selector: "$.card" }] }]
    const routes = [{ method: "POST", path: "/checkout", request: encrypt }]
    relay = await made("/relays", { destinationDomain: "http://127.0.0.1:9", routes })
    webhook = await made("/webhook-endpoints", { url: "http://127.0.0.1:9/hooks", events: ["*"] })
    event = await made(`/webhook-endpoints/${webhook}/test`, "")
    head = (await run(["audit", "verify"], { env: environment() })).stdout.trim()
  }, 60_000)

  /** Creates a BIN table that is not active. */
  const newBinTable = async (isFilled: boolean) => {
    const id = await made("/payments/bin-tables", { name: "Example" }, team())
    const row = '{"from": "424242", "to": "424242", "brand": "visa"}'
    const options = { ...team(), contentType: "application/x-ndjson" }
    if (isFilled) await service.call("PUT", `/payments/bin-tables/${id}/rows?from=0`, row, options)
    return id
  }

  /** Commands that end or change a thing get one of their own. */
  const thingFor = async (args: readonly string[], place: number, folder: string): Promise<string> => {
    const [group = "", verb = ""] = args
    const before = args[place - 1] ?? ""
    const app = service.sandbox.app.id
    const newKey = () => made(`/apps/${app}/api-keys`, { name: "Example", scopes: ["api:decrypt"] }, team())
    if (before === "--url") return service.url
    if (before === "--name") return "Example"
    if (before === "--anchor") return head
    if (before === "--key" || before === "--by" || group === "keys") return newKey()
    if (group === "apps") return made("/apps", { name: "Example", environment: "sandbox" }, team())
    if (group === "team-keys") return made("/team-keys", { name: "Example" }, team())
    if (group === "relays" && verb === "delete") {
      return made("/relays", { destinationDomain: "http://127.0.0.1:10", routes: [] })
    }
    if (group === "relays") return relay
    if (group === "functions") return "unused"
    if (group === "run-tokens") return "charge"
    if (group === "enclaves") return made("/enclaves", { name: "Example", pcrs: { pcr0: "ab".repeat(48) } })
    if (group === "files") {
      return (await run(["files", "upload", "scan.tiff", "-q"], { env: environment(), folder })).stdout.trim()
    }
    if (group === "honey") return made("/honey-tokens", { name: "Example", shape: "email" })
    if (group === "bins") return newBinTable(verb !== "import")
    if (group === "webhooks" && verb === "event") return event
    if (group === "webhooks" && verb === "create") return "http://127.0.0.1:9/hooks"
    if (group === "webhooks") return webhook
    throw new Error(`There is nothing to put in the place of ${args[place]} in ${args.join(" ")}`)
  }

  return {
    async writeFiles(folder) {
      const { text: sealed } = await service.post("/encrypt", '{"card": "4242424242424242"}')
      const files: Record<string, string | Uint8Array> = {
        "checkout.eif": writeEnclaveImage(IMAGE_SECTIONS),
        "scan.tiff": "A scan",
        "sealed.json": sealed,
        "card.json": '{"card": "4242424242424242"}',
        "payload.json": sealed,
        "sample.json": '{"card": "4242424242424242"}',
        "page.html": "<p>4242424242424242</p>",
        "policies/pci.yaml": "roles:\n  - slug: pci\n    name: Card numbers\n",
        "policies/pci.policy-test.yaml":
          "role: pci\ntests:\n  - name: nobody may\n    context: { ip: 192.0.2.1 }\n    expect: deny\n",
        "ranges.csv": "from,to,brand,issuer\n424242,424242,visa,Test Bank\n",
        "relays/one.yaml": "destinationDomain: http://127.0.0.1:9\nroutes: []\n",
      }
      for (const [name, content] of Object.entries(files)) {
        await mkdir(join(folder, name, ".."), { recursive: true })
        await writeFile(join(folder, name), content)
      }
    },
    async run(shown, folder, profile) {
      const args: string[] = []
      // Output to a file is not read here.
      const [redirected = shown.length] = [shown.indexOf(">")].filter((place) => place >= 0)
      for (const [place, arg] of shown.slice(0, redirected).entries()) {
        args.push(PLACEHOLDER.test(arg) ? await thingFor(shown, place, folder) : arg)
      }
      const ending = new AbortController()
      const answered: typeof fetch = async (input, init) => {
        const response = await fetch(atHome(input, service.url), init)
        // The first answer is enough.
        if (isEndless(args)) setImmediate(() => ending.abort(130))
        return response
      }
      const key = `${service.sandbox.auth.key}\n`
      const usesProfile = profile !== undefined || args.includes("--profile") || args[0] === "profiles"
      const keepsKey = args[0] === "login" || (args[0] === "profiles" && args[1] === "add")
      if (usesProfile && !keepsKey) {
        await run(["profiles", "add", "staging", "--url", service.url], { folder, stdin: key })
      }
      return run(args, {
        env:
          usesProfile || keepsKey
            ? profile === undefined
              ? {}
              : { SEALWAY_PROFILE: profile }
            : environment(),
        folder,
        fetch: answered,
        signal: ending.signal,
        sleep: (durationMs, signal) => sleep(durationMs, undefined, { signal }),
        stdin: keepsKey ? key : readFileSync(join(folder, "sealed.json")),
      })
    },
  }
}

/** Sends requests for the address of a deployment to the service of the test. */
function atHome(input: Parameters<typeof fetch>[0], url: string): string {
  return String(input).replace(/^https:\/\/api\.(?:staging\.)?example\.com/, url)
}

/** Returns whether a command runs until Ctrl-C. */
export function isEndless(args: readonly string[]): boolean {
  const isListening = args.slice(0, 2).join(" ") === "webhooks listen" && !args.includes("--print-secret")
  return args.includes("--follow") || isListening
}

import { execFile } from "node:child_process"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import * as z from "zod"
import { PROJECT_ROOT } from "../../stacks/bundles/project-root.ts"

const keysSchema = z.object({
  apps: z.array(z.object({ id: z.string(), environment: z.string(), apiKey: z.string() })),
})

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** JSON where it is valid, text elsewhere. */
  readonly body: unknown
}

/** A deployed service, as its clients see it. */
export interface DeployedService {
  /** Of the API, without a slash at its end. */
  readonly url: string
  readonly appId: string
  readonly apiKey: string
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>
}

/**
 * Creates a stage's first keys with `sealway bootstrap`, as the deployment guide says.
 *
 * @param environment how the command finds the emulator
 */
export async function bootstrap(
  url: string,
  stage: string,
  outputs: ReadonlyMap<string, string>,
  region: string,
  environment: Readonly<Record<string, string>>,
): Promise<DeployedService> {
  const output = (name: string) => outputs.get(name) ?? ""
  const args = [
    ...["bootstrap", "--json", "--stage", stage, "--url", url, "--region", region],
    ...["--config-table", output("ConfigTable"), "--keys-table", output("KeysTable")],
    ...["--audit-table", output("AuditTable"), "--audit-writer", output("AuditWriter")],
    ...["--events-table", output("EventsTable")],
    ...["--kms-key", output("KmsKey"), "--events-queue-url", output("EventsQueueUrl")],
  ]
  const command = [join("packages", "clients", "cli", "bin", "sealway.mjs"), ...args]
  const { stdout } = await promisify(execFile)(process.execPath, command, {
    cwd: PROJECT_ROOT,
    env: { ...process.env, ...environment },
  })
  const sandbox = keysSchema
    .parse(JSON.parse(stdout))
    .apps.find(({ environment: kind }) => kind === "sandbox")
  if (sandbox === undefined) throw new Error("bootstrap told no sandbox app")
  const { id: appId, apiKey } = sandbox
  return {
    url,
    appId,
    apiKey,
    async call(method, path, body, headers = {}) {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { "api-key": apiKey, "content-type": "application/json", ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      return { status: answer.status, headers: answer.headers, body: jsonOr(text) }
    },
  }
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Asks again until an answer is accepted. @throws Error with the last answer, when it is not in time */
export async function until<Value>(
  what: string,
  limitMs: number,
  ask: () => Promise<Value>,
  willDo: (value: Value) => boolean,
): Promise<Value> {
  const deadline = Date.now() + limitMs
  for (;;) {
    const value = await ask()
    if (willDo(value)) return value
    if (Date.now() > deadline) throw new Error(`${what} did not happen: ${JSON.stringify(value)}`)
    await sleep(500)
  }
}

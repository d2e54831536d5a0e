import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import * as z from "zod"
import type { LoadTarget } from "./http-load.ts"

export const OPENBAO = "OpenBao"

export interface OpenBao {
  readonly pid: number
  /** Requests of its transit engine that do so with a number of values. */
  targetOf(direction: "encrypt" | "decrypt", values: number): Promise<LoadTarget>
  stop(): void
}

const TOKEN = "benchmark"
const ENGINE = "/v1/transit"
const STARTS_WITHIN_MS = 30_000
const VALUE = Buffer.from("4242424242424242").toString("base64")

const encryptedSchema = z.object({
  data: z.object({ batch_results: z.array(z.object({ ciphertext: z.string() })) }),
})

/**
 * Starts OpenBao with everything in memory, and a key of its transit engine.
 *
 * @returns null when the environment variable `OPENBAO` does not name its program
 */
export async function startOpenBao(): Promise<OpenBao | null> {
  const { OPENBAO: program } = process.env
  if (program === undefined) return null
  const address = `127.0.0.1:${await freePort()}`
  const options = [`-dev-root-token-id=${TOKEN}`, `-dev-listen-address=${address}`, "-dev-no-store-token"]
  const child = spawn(program, ["server", "-dev", ...options, "-log-level=error"], { stdio: "ignore" })
  const failed = once(child, "exit").then(() => {
    throw new Error(`${program} has ended`)
  })
  const post = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(`http://${address}${path}`, {
      method: "POST",
      headers: { "x-vault-token": TOKEN },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path} of ${OPENBAO} answers ${response.status}`)
    return response.status === 204 ? null : response.json()
  }
  await Promise.race([failed, whenListening(address)])
  await post("/v1/sys/mounts/transit", { type: "transit" })
  await post(`${ENGINE}/keys/app`, {})
  return {
    pid: child.pid ?? 0,
    async targetOf(direction, values) {
      const plaintexts = Array.from({ length: values }, () => ({ plaintext: VALUE }))
      const encrypted = await post(`${ENGINE}/encrypt/app`, { batch_input: plaintexts })
      const ciphertexts = encryptedSchema
        .parse(encrypted)
        .data.batch_results.map(({ ciphertext }) => ({ ciphertext }))
      const inputs = direction === "encrypt" ? plaintexts : ciphertexts
      return {
        url: `http://${address}${ENGINE}/${direction}/app`,
        headers: { "content-type": "application/json", "x-vault-token": TOKEN },
        body: JSON.stringify(values === 1 ? inputs[0] : { batch_input: inputs }),
      }
    },
    stop: () => void child.kill(),
  }
}

async function whenListening(address: string): Promise<void> {
  const endMs = Date.now() + STARTS_WITHIN_MS
  while (Date.now() < endMs) {
    const response = await fetch(`http://${address}/v1/sys/health`).catch(() => null)
    if (response?.ok) return
    await sleep(200)
  }
  throw new Error(`${OPENBAO} does not answer`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (typeof address !== "object" || address === null) throw new Error("The server has no port")
  return address.port
}

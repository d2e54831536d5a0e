import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import autocannon from "autocannon"

export const CONNECTIONS = 32

export interface LoadTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends POST requests one after another on each of 32 connections, and resolves to the requests answered per second. */
export interface LoadGenerator {
  readonly name: string
  requestsPerSecond(target: LoadTarget, seconds: number): Promise<number>
}

/**
 * wrk where it is installed (Debian's package), else autocannon. A generator in Node.js needs as long for a request as
 * the fastest server does, which flatters slower ones: take wrk's figures where there are some.
 */
export async function findLoadGenerator(): Promise<LoadGenerator> {
  try {
    await promisify(execFile)("wrk", ["--version"])
  } catch (error) {
    // wrk prints its version and ends with status 1.
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT"
    if (isMissing) return { name: "autocannon", requestsPerSecond: loadWithAutocannon }
  }
  return { name: "wrk", requestsPerSecond: loadWithWrk }
}

async function loadWithAutocannon({ url, headers, body }: LoadTarget, seconds: number): Promise<number> {
  const { requests, duration, errors, non2xx } = await autocannon({
    url,
    method: "POST",
    headers,
    body,
    connections: CONNECTIONS,
    duration: seconds,
  })
  if (errors + non2xx > 0) throw new Error(`${errors + non2xx} requests to ${url} failed`)
  return requests.total / duration
}

async function loadWithWrk({ url, headers, body }: LoadTarget, seconds: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "sealway-bench-"))
  try {
    const script = join(folder, "post.lua")
    const fields = Object.entries(headers).map(
      ([name, value]) => `wrk.headers[${quote(name)}] = ${quote(value)}`,
    )
    await writeFile(script, [`wrk.method = "POST"`, `wrk.body = ${quote(body)}`, ...fields].join("\n"))
    const args = ["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, "-s", script, url]
    const { stdout } = await promisify(execFile)("wrk", args)
    if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`Requests to ${url} failed`)
    return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A string of Lua. */
function quote(text: string): string {
  return `[==[${text}]==]`
}

import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { CONNECTIONS, type LoadTarget, requestsPerSecond } from "../http-load.ts"

const run = promisify(execFile)

/** Sends POST requests as `requestsPerSecond` does, with wrk, which leaves more of the machine to what is measured. */
export type PostLoad = (target: LoadTarget, seconds: number) => Promise<number>

/** Chooses wrk where it is installed, autocannon elsewhere. */
export async function choosePostLoad(): Promise<{ readonly tool: string; readonly load: PostLoad }> {
  const isInstalled = await run("wrk", ["--version"]).then(
    () => true,
    // It prints its version with status 1.
    (error: { code?: unknown }) => error.code !== "ENOENT",
  )
  return isInstalled ? { tool: "wrk", load: loadWithWrk } : { tool: "autocannon", load: requestsPerSecond }
}

async function loadWithWrk({ url, headers, body }: LoadTarget, seconds: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "sealway-wrk-"))
  try {
    const script = join(folder, "post.lua")
    const lines = Object.entries(headers).map(
      ([name, value]) => `wrk.headers[${quote(name)}] = ${quote(value)}`,
    )
    await writeFile(script, ['wrk.method = "POST"', `wrk.body = ${quote(body)}`, ...lines].join("\n"))
    const options = ["-t", "1", "-c", String(CONNECTIONS), "-d", `${seconds}s`, "-s", script, url]
    const { stdout } = await run("wrk", options)
    const figure = /^Requests\/sec:\s+([0-9.]+)/m.exec(stdout)?.[1]
    if (figure === undefined || /Non-2xx|Socket errors/.test(stdout))
      throw new Error(`Requests failed:\n${stdout}`)
    return Number(figure)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Returns a string literal of Lua. */
function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n")}"`
}

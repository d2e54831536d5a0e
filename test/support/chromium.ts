import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import * as z from "zod"

/** Returns the command of a Chromium on this machine; null when there is none. */
export function findChromium(): string | null {
  for (const command of ["chromium", "chromium-browser", "google-chrome"]) {
    try {
      execFileSync(command, ["--version"], { stdio: "pipe" })
      return command
    } catch {
      // Not this one.
    }
  }
  return null
}

/** A page in a browser. */
export interface BrowserPage {
  /** Runs an expression in the page, and waits for it. @returns its value, through JSON */
  evaluate(expression: string): Promise<unknown>
  /** The document in a frame whose address begins so, of whatever origin. Null: there is none. */
  frame(address: string): Promise<Pick<BrowserPage, "evaluate"> | null>
}

export interface Browser extends AsyncDisposable {
  open(url: string): Promise<BrowserPage>
}

const messageSchema = z.object({
  id: z.number().optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ message: z.string() }).optional(),
})
const evaluatedSchema = z.object({
  result: z.object({ value: z.unknown().optional() }),
  exceptionDetails: z.unknown().optional(),
})

interface FrameTree {
  readonly frame: { readonly id: string; readonly url: string }
  readonly childFrames?: readonly FrameTree[]
}
const frameTreeSchema: z.ZodType<FrameTree> = z.object({
  frame: z.object({ id: z.string(), url: z.string() }),
  get childFrames() {
    return z.array(frameTreeSchema).exactOptional()
  },
})
const framesOf = ({ frame, childFrames = [] }: FrameTree): FrameTree["frame"][] => [
  frame,
  ...childFrames.flatMap(framesOf),
]

/** Starts a Chromium and speaks the DevTools protocol with it. */
export async function startChromium(command: string): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), "sealway-browser-"))
  const process_ = spawn(
    command,
    [
      // Neither root nor most containers can set up a sandbox; the pages that are opened are ours.
      ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
      ...["--remote-debugging-port=0", `--user-data-dir=${profile}`],
    ],
    { stdio: ["ignore", "ignore", "pipe"], detached: true },
  )
  const socket = new WebSocket(await addressOf(process_))
  await once(socket, "open")
  const pending = new Map<number, PromiseWithResolvers<Record<string, unknown>>>()
  socket.addEventListener("message", ({ data }) => {
    const { id, result, error } = messageSchema.parse(JSON.parse(String(data)))
    const waiting = id === undefined ? undefined : pending.get(id)
    if (error) waiting?.reject(new Error(error.message))
    else waiting?.resolve(result ?? {})
  })
  let count = 0
  const send = (method: string, params: object, sessionId?: string) => {
    count += 1
    const answer = Promise.withResolvers<Record<string, unknown>>()
    pending.set(count, answer)
    socket.send(JSON.stringify({ id: count, method, params, ...(sessionId && { sessionId }) }))
    return answer.promise
  }
  return {
    async open(url) {
      const { targetId } = await send("Target.createTarget", { url })
      const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true })
      const tell = (method: string, params: object = {}) => send(method, params, String(sessionId))
      const evaluateIn = (context: object) => async (expression: string) => {
        const params = { expression, awaitPromise: true, returnByValue: true, ...context }
        const answer = evaluatedSchema.parse(await tell("Runtime.evaluate", params))
        if (answer.exceptionDetails) throw new Error(JSON.stringify(answer.exceptionDetails))
        return answer.result.value
      }
      return {
        evaluate: evaluateIn({}),
        async frame(address) {
          const { frameTree } = await tell("Page.getFrameTree")
          const found = framesOf(frameTreeSchema.parse(frameTree)).find(({ url }) => url.startsWith(address))
          if (found === undefined) return null
          const { executionContextId } = await tell("Page.createIsolatedWorld", { frameId: found.id })
          return { evaluate: evaluateIn({ contextId: executionContextId }) }
        },
      }
    },
    async [Symbol.asyncDispose]() {
      socket.close()
      if (process_.pid !== undefined && process_.exitCode === null) {
        const ended = once(process_, "exit")
        process.kill(-process_.pid, "SIGKILL")
        await ended
      }
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function addressOf({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error("The browser tells nothing")
  for await (const line of createInterface({ input: stderr })) {
    const address = /^DevTools listening on (ws:\S+)$/.exec(line)?.[1]
    if (address !== undefined) return address
  }
  throw new Error("The browser ended before it told its address")
}

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
  /** All documents in frames whose addresses begin so, in the order of the page. */
  frames(address: string): Promise<readonly Pick<BrowserPage, "evaluate">[]>
  /** Writes into what has the focus, in whatever frame, as a keyboard does: a key for each character. */
  type(text: string): Promise<void>
  /** Presses a key that writes nothing: `Tab`, `Enter`, `Backspace`. */
  press(key: string, modifiers?: readonly Modifier[]): Promise<void>
  /** Clicks with the mouse, in pixels of the page. */
  click(x: number, y: number): Promise<void>
  /** Sends a command of the DevTools protocol. */
  command(method: string, params?: object): Promise<Readonly<Record<string, unknown>>>
}

/** The bit of each in the DevTools protocol. */
const MODIFIERS = { alt: 1, control: 2, meta: 4, shift: 8 } as const
export type Modifier = keyof typeof MODIFIERS

/** What the shortcuts of an operating system do, which headless browsers do not know. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  ...{ a: ["selectAll"], c: ["copy"], x: ["cut"], v: ["paste"] },
}
const KEY_CODES: Readonly<Record<string, number>> = { Backspace: 8, Tab: 9, Enter: 13, Delete: 46 }

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

const targetsSchema = z.object({
  targetInfos: z.array(z.object({ targetId: z.string(), type: z.string(), url: z.string() })),
})
const nodeIdSchema = z.object({ nodeId: z.number() })
const frameNodeSchema = z.object({ node: z.object({ frameId: z.string() }) })

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
      const evaluateIn =
        (context: object, session = sessionId) =>
        async (expression: string) => {
          const params = { expression, awaitPromise: true, returnByValue: true, ...context }
          const answer = evaluatedSchema.parse(await send("Runtime.evaluate", params, String(session)))
          if (answer.exceptionDetails) throw new Error(JSON.stringify(answer.exceptionDetails))
          return answer.result.value
        }
      /** Frames in processes of their own, by their ids. */
      const attached = new Map<string, Promise<Record<string, unknown>>>()
      const isolatedFramesAt = async (address: string) => {
        const { targetInfos } = targetsSchema.parse(await send("Target.getTargets", {}))
        const targets = targetInfos.filter(({ type }) => type === "iframe")
        if (targets.length === 0) return []
        const root = z.object({ root: nodeIdSchema }).parse(await tell("DOM.getDocument")).root
        const found = await tell("DOM.querySelectorAll", { nodeId: root.nodeId, selector: "iframe" })
        const { nodeIds } = z.object({ nodeIds: z.array(z.number()) }).parse(found)
        const nodes = await Promise.all(nodeIds.map((nodeId) => tell("DOM.describeNode", { nodeId })))
        const ids = nodes.map((node) => frameNodeSchema.parse(node).node.frameId)
        const frames = targets
          .filter(({ targetId }) => ids.includes(targetId))
          .sort((a, b) => ids.indexOf(a.targetId) - ids.indexOf(b.targetId))
          .map(async ({ targetId, url }) => {
            const attaching =
              attached.get(targetId) ?? send("Target.attachToTarget", { targetId, flatten: true })
            attached.set(targetId, attaching)
            const session = (await attaching).sessionId
            if (url.startsWith(address)) return [{ evaluate: evaluateIn({}, session) }]
            // Frames inside of it, in the same process.
            const { frameTree } = await send("Page.getFrameTree", {}, String(session))
            const inside = framesOf(frameTreeSchema.parse(frameTree)).filter((each) =>
              each.url.startsWith(address),
            )
            return Promise.all(
              inside.map(async ({ id }) => {
                const world = await send("Page.createIsolatedWorld", { frameId: id }, String(session))
                return { evaluate: evaluateIn({ contextId: world.executionContextId }, session) }
              }),
            )
          })
        return (await Promise.all(frames)).flat()
      }
      const framesAt = async (address: string) => {
        const { frameTree } = await tell("Page.getFrameTree")
        const found = framesOf(frameTreeSchema.parse(frameTree)).filter(({ url }) => url.startsWith(address))
        const local = found.map(async ({ id }) => {
          const { executionContextId } = await tell("Page.createIsolatedWorld", { frameId: id })
          return { evaluate: evaluateIn({ contextId: executionContextId }) }
        })
        return [...(await Promise.all(local)), ...(await isolatedFramesAt(address))]
      }
      const pressKey = async (params: object) => {
        await tell("Input.dispatchKeyEvent", { type: "keyDown", ...params })
        await tell("Input.dispatchKeyEvent", { type: "keyUp", ...params })
      }
      return {
        evaluate: evaluateIn({}),
        frame: async (address) => (await framesAt(address))[0] ?? null,
        frames: framesAt,
        async type(text) {
          for (const key of text) await pressKey({ key, text: key, unmodifiedText: key })
        },
        press: (key, modifiers = []) =>
          pressKey({
            key,
            ...(key in KEY_CODES
              ? { code: key, windowsVirtualKeyCode: KEY_CODES[key] }
              : { code: `Key${key.toUpperCase()}`, windowsVirtualKeyCode: key.toUpperCase().charCodeAt(0) }),
            ...(key === "Enter" && { text: "\r" }),
            ...(modifiers.includes("control") && { commands: COMMANDS[key] ?? [] }),
            modifiers: modifiers.reduce((sum, each) => sum + MODIFIERS[each], 0),
          }),
        async click(x, y) {
          for (const type of ["mousePressed", "mouseReleased"]) {
            await tell("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 })
          }
        },
        command: tell,
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

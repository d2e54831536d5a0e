import { env } from "node:process"
import { Worker } from "node:worker_threads"
import type { TableDefinition } from "@sealway/ports"
import { describeFailure } from "../describe-failure.ts"
import type { Report } from "../seldom.ts"
import { DamagedDatabaseError } from "../store/store-errors.ts"
import type { FromWriter, ToWriter, WriterData } from "./messages.ts"
import type { MortalWriter } from "./restarted-writer.ts"
import { FAILED, type WriteReply } from "./writer.ts"

/** More writes at a time come only from callers that do not wait for answers. */
const MAX_WAITING = 10_000

/**
 * Starts the writing thread, so that waiting for the disk does not block readers. Writes that arrive together share one
 * transaction.
 *
 * @param thread from `startThread`: runs `writer-thread.ts`
 * @throws DamagedDatabaseError, Error whose `cause` says what else prevents opening it
 */
export async function startWriterThread(thread: Worker, report: Report): Promise<MortalWriter> {
  const waiting = new Map<number, (reply: WriteReply) => void>()
  let lastId = 0
  let hasEnded = false
  /** True from when it is open until it is told to close. */
  let isNeeded = false
  const opened = Promise.withResolvers<void>()
  const ended = new Promise<void>((resolve) => {
    thread.on("exit", () => {
      hasEnded = true
      opened.reject(new Error("The thread that writes has ended."))
      if (isNeeded) {
        report("The thread that writes to the tables has ended. Writes are refused until it is restarted.")
      }
      // After the answers that it sent before.
      setImmediate(() => {
        for (const settle of waiting.values()) settle(FAILED)
        waiting.clear()
        resolve()
      })
    })
  })
  thread.on("error", (error) => {
    report(describeFailure(error), error)
    opened.reject(error)
  })
  thread.on("message", (message: FromWriter) => {
    if (message.kind === "open") opened.resolve()
    else if (message.kind === "refused") opened.reject(refusalOf(message))
    else if (message.kind === "report") report(message.message, message.error)
    else {
      // Node.js delivers up to a thousand messages in a row: handling them all immediately would block timers and
      // sockets.
      setImmediate(() => {
        for (const { id, reply } of message.replies) {
          waiting.get(id)?.(reply)
          waiting.delete(id)
        }
      })
    }
  })
  await opened.promise
  isNeeded = true
  const post = (message: ToWriter) => thread.postMessage(message)

  return {
    ended,
    async write(write) {
      if (hasEnded) return FAILED
      if (waiting.size >= MAX_WAITING) return { kind: "unavailable", message: "Too many writes are waiting." }
      const id = ++lastId
      const reply = new Promise<WriteReply>((resolve) => waiting.set(id, resolve))
      post({ kind: "write", id, write })
      return reply
    },
    async close() {
      isNeeded = false
      post({ kind: "close" })
      await ended
    },
  }
}

/** Starts the thread of a database. @param path an existing file */
export function startThread(path: string, definitions: readonly TableDefinition[]): Worker {
  const data: WriterData = { path, definitions }
  const { NODE_COMPILE_CACHE } = env
  return new Worker(new URL("./writer-thread.ts", import.meta.url), {
    workerData: data,
    // What is compiled already: without it the thread loads the compiler of TypeScript, which takes some 25 MiB.
    env: NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE },
    execArgv: [],
  })
}

function refusalOf({ isDamaged, error }: Extract<FromWriter, { kind: "refused" }>): Error {
  return isDamaged
    ? new DamagedDatabaseError()
    : new Error("The database cannot be opened.", { cause: error })
}

import { parentPort, workerData } from "node:worker_threads"
import { MB } from "@sealway/kernel/sizes"
import { describeFailure } from "../describe-failure.ts"
import { seldom } from "../seldom.ts"
import { ensureTables } from "../store/ensure-tables.ts"
import { openForWriting } from "../store/open-database.ts"
import { isDamage } from "../store/store-errors.ts"
import type { FromWriter, ToWriter, WriterData } from "./messages.ts"
import { createWriteEngine, SWEEP_INTERVAL_MS, type WriteEngine } from "./write-engine.ts"

// A thread loads what it imports for itself, at every start. So it imports only the sizes of the kernel.

/** The maximum size of one transaction, so that the first writes of a long queue do not wait for all of it. */
const MAX_GROUP_WRITES = 128
const MAX_GROUP_CHARACTERS = 4 * MB
const IDLE_MS = 1_000

if (parentPort === null) throw new TypeError("This is the thread that writes")
const port = parentPort
const { path, definitions }: WriterData = workerData

const tell = (message: FromWriter) => port.postMessage(message)
const report = seldom(
  (message, error) => tell({ kind: "report", message, error }),
  () => performance.now(),
)

try {
  const engine = createWriteEngine(
    () => {
      const database = openForWriting(path, report)
      ensureTables(database.connection, definitions, Date.now)
      return database
    },
    Date.now,
    report,
  )
  serve(engine)
  tell({ kind: "open" })
} catch (error) {
  tell({ kind: "refused", isDamaged: isDamage(error), error })
  port.close()
}

function serve(engine: WriteEngine): void {
  const waiting: Extract<ToWriter, { kind: "write" }>[] = []
  let isScheduled = false
  let isClosing = false

  /** Not immediately: everything that arrives until then goes into one transaction. */
  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(writeWaiting)
  }

  function writeWaiting(): void {
    isScheduled = false
    const group = takeGroup()
    if (group.length > 0) {
      const replies = engine.write(group.map(({ write }) => write))
      tell({
        kind: "written",
        replies: replies.map((reply, index) => ({ id: group[index]?.id ?? -1, reply })),
      })
      idle.refresh()
    }
    if (waiting.length > 0) schedule()
    else if (isClosing) end()
  }

  function takeGroup() {
    let [count, characters] = [0, 0]
    for (const { write } of waiting) {
      if (count === MAX_GROUP_WRITES || (count > 0 && characters + write.length > MAX_GROUP_CHARACTERS)) break
      count++
      characters += write.length
    }
    return waiting.splice(0, count)
  }

  function end(): void {
    clearTimeout(idle)
    clearInterval(sweeping)
    engine.close()
    port.close()
  }

  const idle = setTimeout(() => {
    try {
      if (!engine.emptyLog()) idle.refresh()
    } catch (error) {
      report(describeFailure(error), error)
    }
  }, IDLE_MS)
  /** One step per turn, so that writes can go in between. */
  const sweep = () => {
    if (isClosing || !engine.sweep()) return
    idle.refresh()
    setImmediate(sweep)
  }
  const sweeping = setInterval(sweep, SWEEP_INTERVAL_MS)
  setImmediate(sweep)

  port.on("message", (message: ToWriter) => {
    if (message.kind === "write") waiting.push(message)
    else isClosing = true
    schedule()
  })
}

import { gzipSync } from "node:zlib"
import { createMemoryTable, exploreHistories, SimulatedService, sqsRecord } from "@sealway/ports/testing"
import type { CloudWatchLogsEvent, SQSEvent } from "aws-lambda"
import { describe, expect, test } from "vitest"
import { readAccessLog } from "./access-block-table.ts"
import { createAccessLines } from "./access-lines.ts"
import type { AccessRecord } from "./access-record.ts"
import { createAccessWriter } from "./access-writer.ts"
import { PLACE, recordAt } from "./testing/records.ts"

const START_MS = 1_700_000_000_000
const HOUR_MS = 60 * 60_000
const MARKER = "leak-marker-7f3a"

/** Returns the line that a function writes. */
function lineOf(record: AccessRecord): string {
  const lines: string[] = []
  createAccessLines((line) => lines.push(line)).record(record)
  const [line = ""] = lines
  return line.slice(0, -1)
}

function packed(content: string): CloudWatchLogsEvent {
  return { awslogs: { data: gzipSync(content).toString("base64") } }
}

function handover(messages: readonly string[], changes: object = {}): CloudWatchLogsEvent {
  return packed(
    JSON.stringify({
      messageType: "DATA_MESSAGE",
      owner: "111122223333",
      logGroup: "sealway-production-decrypt",
      logStream: "2026/01/01/[$LATEST]0",
      subscriptionFilters: ["access"],
      logEvents: messages.map((message, index) => ({ id: String(index), timestamp: START_MS, message })),
      ...changes,
    }),
  )
}

/** Builds what Lambda puts into the queue when an invocation failed. */
function queued(...bodies: readonly unknown[]): SQSEvent {
  return {
    Records: bodies.map((body, index) =>
      sqsRecord({ id: `message-${index}`, body: typeof body === "string" ? body : JSON.stringify(body) }),
    ),
  }
}
const failed = (requestPayload: unknown) => ({ version: "1.0", requestContext: {}, requestPayload })

function setUp(options: Parameters<typeof createMemoryTable>[0] = {}, table = createMemoryTable(options)) {
  const logged: unknown[] = []
  const log = {
    warn: (message: string) => void logged.push(message),
    error: (message: string) => void logged.push(message),
  }
  const write = createAccessWriter({ eventsTable: table, log, accessLogDays: null })
  const stored = () => Array.fromAsync(readAccessLog(table, PLACE, { before: null, notBefore: null }))
  return { table, logged, write, stored }
}

const records = [1, 2, 3].map((offset) => recordAt(START_MS + offset))
const lines = records.map(lineOf)

describe("the access log writer", () => {
  test("writes what a log hands over, as one item per app", async () => {
    const { table, write, stored } = setUp()
    const other = recordAt(START_MS, { appId: "app_2" })
    expect(await write(handover([...lines, lineOf(other)]))).toEqual({ batchItemFailures: [] })
    expect(await stored()).toEqual(records.toReversed())
    expect(table.items.size).toBe(2)
  })

  test("writes each record once, however often and in whichever batches it arrives", async () => {
    const { write, stored, logged } = setUp()
    await Promise.all([write(handover(lines)), write(handover(lines))])
    await write(handover(lines.slice(1)))
    await write(handover([...lines, ...lines]))
    expect(await stored()).toEqual(records.toReversed())
    expect(logged).toEqual([])
  })

  test("ignores the message that tests a new subscription", async () => {
    const { table, write, logged } = setUp()
    const trial = handover(["CWL CONTROL MESSAGE: Checking health of destination Lambda."], {
      messageType: "CONTROL_MESSAGE",
    })
    expect(await write(trial)).toEqual({ batchItemFailures: [] })
    expect([table.items.size, logged]).toEqual([0, []])
  })

  test("writes the other records when some lines are not records, and reports only how many were not", async () => {
    const { write, stored, logged } = setUp()
    const [first] = records
    if (first === undefined) throw new Error("There is a first")
    const broken = [
      MARKER,
      `{"access":"${MARKER}"}`,
      JSON.stringify({ access: { ...first, id: "key_0123456789abcdef" } }),
      JSON.stringify({ access: { ...first, total: 0 } }),
      JSON.stringify({ access: { ...first, roles: { pci: -1 } } }),
      JSON.stringify({ access: { ...first, teamId: "x".repeat(201) } }),
    ]
    await write(handover([...broken, ...lines]))
    expect(await stored()).toEqual(records.toReversed())
    expect(logged).toEqual(["6 lines are no access records"])
  })

  test("keeps only the known fields of a record", async () => {
    const { write, stored } = setUp()
    const [record] = records
    await write(handover([JSON.stringify({ access: { ...record, value: MARKER } })]))
    expect(await stored()).toEqual([record])
  })

  test.each([
    ["no base64", { awslogs: { data: `${MARKER}*` } }],
    ["no gzip", { awslogs: { data: Buffer.from(MARKER).toString("base64") } }],
    ["no JSON", packed(MARKER)],
    ["another message", packed(JSON.stringify({ messageType: MARKER, logEvents: [] }))],
    ["a bomb", packed(" ".repeat(65 * 1024 * 1024))],
    ["nothing", {}],
  ])("fails on %s, so that the event is retried, with an error that quotes nothing", async (_, event) => {
    const { write, logged } = setUp()
    const failure = write(event as CloudWatchLogsEvent)
    await expect(failure).rejects.toThrow("What the log handed over cannot be read")
    expect(logged).toEqual(["access records could not be read"])
    expect(String(await failure.catch(String))).not.toContain(MARKER)
  })

  test("fails when a record cannot be written, and writes all of them on retry", async () => {
    let calls = 0
    const { write, stored } = setUp({
      beforeCall: () => {
        if (++calls === 1) throw new Error("The table cannot be written")
      },
    })
    await expect(write(handover(lines))).rejects.toThrow()
    await write(handover(lines))
    expect(await stored()).toEqual(records.toReversed())
  })

  test("writes each record once when it dies, a write fails or an event comes twice", async () => {
    const { histories } = await exploreHistories(async (explored) => {
      const simulated = new SimulatedService({ explored, workerOf: () => write })
      const { write, stored } = setUp({}, simulated.createTable("events"))
      const other = recordAt(START_MS, { appId: "app_2" })
      simulated.addMessage("access-records", JSON.stringify(failed(handover([...lines, lineOf(other)]))))
      simulated.addMessage("access-records", JSON.stringify(failed(handover(lines.slice(1)))))
      explored.begin()
      await simulated.work(HOUR_MS)
      expect(await stored()).toEqual(records.toReversed())
      expect(simulated.messages).toEqual([])
    })
    expect(histories).toBeGreaterThan(10)
  })

  test("writes queued events that failed before, and reports the messages that it cannot read", async () => {
    const { write, stored } = setUp()
    const event = queued(failed(handover(lines)), MARKER, failed(packed(MARKER)))
    expect(await write(event)).toEqual({
      batchItemFailures: [{ itemIdentifier: "message-1" }, { itemIdentifier: "message-2" }],
    })
    expect(await stored()).toEqual(records.toReversed())
  })
})

describe("an access log line", () => {
  test("holds the record under the name that subscriptions look for, on one line whatever its content", () => {
    const record = recordAt(START_MS, { requestId: 'a"b\nc' })
    const line = lineOf(record)
    expect(line).not.toContain("\n")
    expect(JSON.parse(line)).toEqual({
      level: "INFO",
      message: "values decrypted",
      timestamp: "2023-11-14T22:13:20.000Z",
      service: "sealway",
      access: record,
    })
  })
})

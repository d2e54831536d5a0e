import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import { MB } from "@sealway/kernel"
import type { Log, Table } from "@sealway/ports"
import type { CloudWatchLogsEvent, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda"
import * as z from "zod"
import { createAccessBlock } from "./access-block-table.ts"
import { accessBlocksOf } from "./access-blocks.ts"
import { ACCESS_MEMBER } from "./access-lines.ts"
import { type AccessRecord, accessRecordSchema } from "./access-record.ts"

export type AccessWriter = (event: CloudWatchLogsEvent | SQSEvent) => Promise<SQSBatchResponse>

export interface AccessWriterDependencies {
  readonly eventsTable: Pick<Table, "create">
  readonly log: Pick<Log, "warn" | "error">
  /** See `createAccessBlock`. */
  readonly accessLogDays: number | null
}

/** Applies to one batch from CloudWatch Logs, unpacked. */
const MAX_UNPACKED_BYTES = 64 * MB
const WRITES_AT_ONCE = 10
const unzip = promisify(gunzip)

const handoverSchema = z.object({ awslogs: z.object({ data: z.base64() }) })
/** What Lambda puts into the queue when an invocation failed: the original event, among others. */
const failureSchema = z.object({ requestPayload: handoverSchema })
const batchSchema = z.object({
  messageType: z.enum(["DATA_MESSAGE", "CONTROL_MESSAGE"]),
  logEvents: z.array(z.object({ message: z.string() })),
})
const lineSchema = z.object({ [ACCESS_MEMBER]: accessRecordSchema })

/**
 * The Lambda handler that moves access records from the functions' logs to the table. It reads the batches that
 * subscriptions hand over, and the queue of those that failed. It is safe to run twice with the same event, even
 * concurrently.
 *
 * When an event cannot be read or a block cannot be written, it throws or reports the message as failed, so that the
 * event is retried and ends in the dead-letter queue. Lines that are not access records are skipped and counted in the
 * function's log.
 */
export function createAccessWriter({
  eventsTable,
  log,
  accessLogDays,
}: AccessWriterDependencies): AccessWriter {
  async function writeBatch(handover: unknown): Promise<void> {
    const { records, malformed } = await readBatch(handover).catch((error: unknown) => {
      log.error("access records could not be read", { error })
      // Lambda prints thrown errors, and parsers quote their input in theirs.
      throw new Error("What the log handed over cannot be read")
    })
    if (malformed > 0) log.error(`${malformed} lines are no access records`)
    const blocks = [...accessBlocksOf(records)]
    const writers = Array.from({ length: WRITES_AT_ONCE }, async () => {
      for (let block = blocks.shift(); block !== undefined; block = blocks.shift()) {
        await createAccessBlock(eventsTable, block, accessLogDays)
      }
    })
    await Promise.all(writers)
  }

  async function writeMessage({ body }: SQSRecord): Promise<void> {
    await writeBatch(handoverOf(body))
  }

  return async (event) => {
    if (!("Records" in event)) {
      await writeBatch(event)
      return { batchItemFailures: [] }
    }
    const results = await Promise.allSettled(event.Records.map(writeMessage))
    const batchItemFailures = results.flatMap((result, index) => {
      const { messageId = "" } = event.Records[index] ?? {}
      if (result.status === "fulfilled") return []
      log.warn("access records could not be written", { requestId: messageId, error: result.reason })
      return [{ itemIdentifier: messageId }]
    })
    return { batchItemFailures }
  }
}

/** Reads a batch. @throws Error when it is not what CloudWatch Logs hands over; its message may quote the input */
async function readBatch(
  handover: unknown,
): Promise<{ readonly records: readonly AccessRecord[]; readonly malformed: number }> {
  const { awslogs } = handoverSchema.parse(handover)
  const unpacked = await unzip(Buffer.from(awslogs.data, "base64"), { maxOutputLength: MAX_UNPACKED_BYTES })
  const { messageType, logEvents } = batchSchema.parse(JSON.parse(unpacked.toString()))
  // CloudWatch Logs sends one to test a new subscription.
  if (messageType === "CONTROL_MESSAGE") return { records: [], malformed: 0 }
  const records = new Map<string, AccessRecord>()
  let malformed = 0
  for (const { message } of logEvents) {
    const record = recordOf(message)
    if (record === null) malformed++
    else records.set(record.id, record)
  }
  return { records: [...records.values()], malformed }
}

/** Returns the event that a queued message holds; null when it holds none. */
function handoverOf(body: string): unknown {
  try {
    return failureSchema.parse(JSON.parse(body)).requestPayload
  } catch {
    return null
  }
}

/** Returns null for a line that is not an access record. */
function recordOf(line: string): AccessRecord | null {
  try {
    return lineSchema.parse(JSON.parse(line))[ACCESS_MEMBER]
  } catch {
    return null
  }
}

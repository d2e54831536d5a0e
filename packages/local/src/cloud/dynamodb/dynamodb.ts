import { backup, type DatabaseSync } from "node:sqlite"
import { REQUEST_TIMEOUT_MS, TableUnavailableError } from "@sealway/platform"
import * as z from "zod"
import type { Reply } from "../aws-json-server.ts"
import { within } from "../within.ts"
import { describeFailure } from "./describe-failure.ts"
import { OPERATIONS } from "./operations/index.ts"
import { errorReply, internalFailure, replyOf } from "./reply.ts"
import { parseMembers } from "./request-members.ts"
import { type Report, seldom } from "./seldom.ts"
import { ItemStore } from "./store/item-store.ts"
import { openForReading, openInMemory } from "./store/open-database.ts"
import { createTableReads } from "./table/read-tables.ts"
import type { TableDatabase, TableWritten } from "./table/table-database.ts"
import { createTurns } from "./turns.ts"
import { inMemoryWriter } from "./writer/in-memory-writer.ts"
import { startRestartedWriter } from "./writer/restarted-writer.ts"
import { startThread, startWriterThread } from "./writer/start-writer-thread.ts"
import { createWriteEngine } from "./writer/write-engine.ts"
import { TABLE_WRITE, type Writer } from "./writer/writer.ts"

/** The operations of DynamoDB's API that Sealway uses, over SQLite. */
export interface DynamoDb {
  /**
   * Answers a request. A write is answered once it is durable; a read sees every write that was answered before.
   *
   * @param target the `x-amz-target` header
   * @param body JSON
   */
  answer(target: string, body: string): Promise<Reply>
  /** The tables as the service uses them: no request is written or parsed. */
  readonly database: TableDatabase
  /** Writes a consistent copy of the database while it is in use. The file must not exist. */
  backup(path: string): Promise<void>
  /** Resolves when earlier writes are answered and the database is closed. Called once. */
  close(): Promise<void>
}

const refusalSchema = z.object({ __type: z.string(), message: z.string() })

const TARGET_PREFIX = "DynamoDB_20120810."
/** Far more than the database has while it is in use: the copy is made in one step, and so is consistent. */
const PAGES_A_STEP = 10_000

/**
 * Opens a database: in a file, which is created if missing, or in memory when the path is null.
 *
 * @throws DamagedDatabaseError, Error when it cannot be opened
 */
export async function openDynamoDb(path: string | null, report: Report): Promise<DynamoDb> {
  const rare = seldom(report, () => performance.now())
  if (path === null) {
    const database = openInMemory()
    return serve(database, inMemoryWriter(createWriteEngine(() => database, Date.now, rare)), rare)
  }
  const writer = await startRestartedWriter(() => startWriterThread(startThread(path), rare), {
    report: rare,
  })
  try {
    return serve(openForReading(path), writer, rare)
  } catch (error) {
    await writer.close()
    throw error
  }
}

function serve(database: DatabaseSync, writer: Writer, report: Report): DynamoDb {
  const store = new ItemStore(database)
  const inTurn = createTurns(() => performance.now())

  function read(name: string, body: string): Reply {
    try {
      return replyOf(() => {
        const operation = OPERATIONS.get(name)
        if (operation === undefined) throw new TypeError("The operation is known")
        return operation.run(parseMembers(body), store, Math.floor(Date.now() / 1000))
      })
    } catch (error) {
      report(describeFailure(error), error)
      return internalFailure()
    }
  }

  const reads = createTableReads(store)
  const readInTurn = <Result>(work: () => Result) =>
    inTurn(() => {
      try {
        if (database.isOpen) return work()
      } catch (error) {
        report(describeFailure(error), error)
        throw new TableUnavailableError("The tables cannot be read.", { cause: error })
      }
      throw new TableUnavailableError("The tables are closed.")
    })

  const tables: TableDatabase = {
    get: (key) => readInTurn(() => reads.get(key)),
    query: (query) => readInTurn(() => reads.query(query)),
    async write(write) {
      const { status, body } = await within(
        REQUEST_TIMEOUT_MS,
        writer.write(TABLE_WRITE, JSON.stringify(write)),
      )
      const answer: unknown = JSON.parse(typeof body === "string" ? body : Buffer.from(body).toString())
      if (status === 200) return answer as TableWritten
      throw failureOf(answer)
    },
  }

  return {
    database: tables,
    async answer(target, body) {
      const name = target.startsWith(TARGET_PREFIX) ? target.slice(TARGET_PREFIX.length) : ""
      const operation = OPERATIONS.get(name)
      if (operation === undefined) {
        return errorReply("ValidationException", "The embedded DynamoDB does not offer this operation.")
      }
      if (operation.writes) return writer.write(name, body)
      return inTurn(() => (database.isOpen ? read(name, body) : internalFailure()))
    },
    async backup(path) {
      await backup(database, path, { rate: PAGES_A_STEP })
    },
    async close() {
      // Closing the last connection removes the log, so it must be the writing one.
      if (database.isOpen) database.close()
      await writer.close()
    },
  }
}

/** Reads why a write was refused: for good when DynamoDB would not take the item either. */
function failureOf(answer: unknown): Error {
  const { __type: type, message } = refusalSchema.parse(answer)
  return type === "ValidationException" ? new TypeError(message) : new TableUnavailableError(message)
}

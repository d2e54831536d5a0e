import { existsSync } from "node:fs"
import { mkdir, open } from "node:fs/promises"
import { dirname, join } from "node:path"
import { admitSignedRequestsOnly } from "../admit-signed-requests.ts"
import { DataFolderUnusableError, TablesDamagedError } from "../errors.ts"
import { closeServer, listenOnLoopback, type RunningService } from "../loopback-server.ts"
import type { VerifySignature } from "../verify-signature.ts"
import { syncFolder } from "../write-file-durably.ts"
import { type DynamoDb, openDynamoDb } from "./dynamodb.ts"
import { createDynamoDbServer } from "./dynamodb-server.ts"
import { migrateLevelDb } from "./migrate-leveldb.ts"
import type { Report } from "./seldom.ts"
import { DamagedDatabaseError } from "./store/store-errors.ts"

const DATABASE_FILE = "tables.db"

export interface RunningDynamoDb extends RunningService {
  readonly dynamodb: DynamoDb
}

/**
 * Starts the embedded DynamoDB over a database in a folder (made, mode 0700, where it is missing), or in memory when
 * the folder is null.
 *
 * @throws DataFolderUnusableError, TablesDamagedError
 */
export async function startDynamoDb(
  folder: string | null,
  verify: VerifySignature,
  report: Report,
): Promise<RunningDynamoDb> {
  const dynamodb = await (folder === null ? openDynamoDb(null, report) : openFolder(folder, report))
  const server = createDynamoDbServer(dynamodb)
  admitSignedRequestsOnly(server, verify)
  const endpoint = await listenOnLoopback(server)
  return {
    endpoint,
    dynamodb,
    async close() {
      await closeServer(server)
      await dynamodb.close()
    },
  }
}

async function openFolder(folder: string, report: Report): Promise<DynamoDb> {
  const database = join(folder, DATABASE_FILE)
  try {
    await migrateLevelDb({ folder, database })
    if (!existsSync(database)) await createFile(database)
    return await openDynamoDb(database, report)
  } catch (error) {
    if (error instanceof DamagedDatabaseError) throw new TablesDamagedError(folder, { cause: error })
    throw new DataFolderUnusableError(folder, { cause: error })
  }
}

/** SQLite would let others read it, where the umask does. The files beside it get its permissions. */
async function createFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await (await open(path, "wx", 0o600)).close()
  await syncFolder(dirname(path))
  await syncFolder(dirname(dirname(path)))
}

import { MB } from "@sealway/kernel"
import { type RunningJsonService, serveAwsJson } from "../aws-json-server.ts"
import type { VerifySignature } from "../verify-signature.ts"
import { type DynamoDb, openDynamoDb } from "./dynamodb.ts"
import { CONTENT_TYPE, internalFailure } from "./reply.ts"
import type { Report } from "./seldom.ts"
import { prepareTablesFile, withTables } from "./tables-file.ts"

/** An item of 400 KB with each character escaped in JSON, and expressions. */
const MAX_BODY_BYTES = 4 * MB

/**
 * Starts the embedded DynamoDB with a database in a folder (created, mode 0700, if missing), or in memory when the
 * folder is null.
 *
 * @throws DataFolderUnusableError, TablesDamagedError
 */
export async function startDynamoDb(
  folder: string | null,
  verify: VerifySignature,
  report: Report,
): Promise<RunningJsonService & Pick<DynamoDb, "database">> {
  const dynamodb = await (folder === null ? openDynamoDb(null, report) : openFolder(folder, report))
  const running = await serveAwsJson(
    {
      ...{ name: "DynamoDB", contentType: CONTENT_TYPE, maxBodyBytes: MAX_BODY_BYTES },
      tooLargeType: "RequestEntityTooLarge",
      answer: (target, body) => dynamodb.answer(target, body),
      failure: internalFailure(),
    },
    verify,
  )
  return {
    ...running,
    database: dynamodb.database,
    async close() {
      await running.close()
      await dynamodb.close()
    },
  }
}

function openFolder(folder: string, report: Report): Promise<DynamoDb> {
  return withTables(folder, async () => openDynamoDb(await prepareTablesFile(folder), report))
}

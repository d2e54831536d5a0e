import { z } from "zod"
import { LambdaError } from "../lambda-error.ts"
import { LOG_GROUP_NAME, parseLogsRequest, unknownLogGroup } from "./logs-request.ts"
import type { LambdaOperation } from "./operation.ts"

/** The retention periods of CloudWatch Logs. Source: PutRetentionPolicy in its API reference. */
const RETENTION_DAYS: ReadonlySet<number> = new Set([
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
])

const MAX_TAGS = 50
const TAG_TEXT = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u

const createSchema = z.strictObject({
  logGroupName: LOG_GROUP_NAME,
  // Nothing is stored on disk, so there is nothing to encrypt.
  kmsKeyId: z.string().max(256).optional(),
  tags: z
    .record(z.string().min(1).max(128).regex(TAG_TEXT), z.string().max(256).regex(TAG_TEXT))
    .refine((tags) => Object.keys(tags).length <= MAX_TAGS)
    .optional(),
})
const retentionSchema = z.strictObject({
  logGroupName: LOG_GROUP_NAME,
  retentionInDays: z.int().refine((days) => RETENTION_DAYS.has(days)),
})
const deleteSchema = z.strictObject({ logGroupName: LOG_GROUP_NAME })

/** CreateLogGroup. The key is not used, and tags are not stored: no operation here reads them. */
export const createLogGroup: LambdaOperation = async ({ body }, { logs }) => {
  if (!logs.create(parseLogsRequest(createSchema, body).logGroupName)) {
    throw new LambdaError("ResourceAlreadyExistsException", "The specified log group already exists")
  }
  return { status: 200, body: null }
}

/** PutRetentionPolicy. */
export const putRetentionPolicy: LambdaOperation = async ({ body }, { logs }) => {
  const { logGroupName, retentionInDays } = parseLogsRequest(retentionSchema, body)
  if (!logs.setRetention(logGroupName, retentionInDays)) throw unknownLogGroup()
  return { status: 200, body: null }
}

/** DeleteLogGroup. */
export const deleteLogGroup: LambdaOperation = async ({ body }, { logs }) => {
  if (!logs.remove(parseLogsRequest(deleteSchema, body).logGroupName)) throw unknownLogGroup()
  return { status: 200, body: null }
}

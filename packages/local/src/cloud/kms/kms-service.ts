import { type AwsJsonService, errorReply, type Reply } from "../aws-json-server.ts"
import type { KeyStore } from "./key-store.ts"
import { KMS_ERROR_STATUSES, KmsError, type KmsErrorType } from "./kms-error.ts"
import { KMS_OPERATIONS } from "./operations/index.ts"
import type { KmsOperation } from "./operations/operation.ts"
import type { RequestMembers } from "./request-members.ts"

/** The largest valid request: 6 KiB of ciphertext in base64 and 8 Ki characters of context, each escaped in JSON. */
const MAX_BODY_BYTES = 64 * 1024

/** Creates the AWS KMS API over keys. */
export function createKmsService(keys: KeyStore): AwsJsonService {
  return {
    name: "KMS",
    contentType: "application/x-amz-json-1.1",
    maxBodyBytes: MAX_BODY_BYTES,
    answer(target, body) {
      const operation = KMS_OPERATIONS.get(target)
      return operation === undefined ? null : answer(operation, body, keys)
    },
    failure: refusal("KMSInternalException", "The embedded KMS failed. Check that its folder is writable."),
  }
}

async function answer(operation: KmsOperation, body: string, keys: KeyStore): Promise<Reply> {
  try {
    const result = await operation(parseMembers(body), keys)
    return { status: 200, body: result === null ? "" : JSON.stringify(result) }
  } catch (error) {
    if (error instanceof KmsError) return refusal(error.type, error.message)
    throw error
  }
}

function refusal(type: KmsErrorType, message: string): Reply {
  return errorReply(KMS_ERROR_STATUSES[type], type, message)
}

function parseMembers(body: string): RequestMembers {
  const value = parseJson(body)
  if (!isObject(value)) throw new KmsError("SerializationException", "The body is not a JSON object.")
  return value
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    // The parser's own message quotes the body.
    throw new KmsError("SerializationException", "The body is not JSON.")
  }
}

function isObject(value: unknown): value is RequestMembers {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

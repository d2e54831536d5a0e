import { type RunningJsonService, serveAwsJson } from "../aws-json-server.ts"
import type { VerifySignature } from "../verify-signature.ts"
import { createKmsService } from "./kms-service.ts"
import { openKeyStore } from "./open-key-store.ts"

/**
 * Starts the embedded KMS with the keys in a folder (null: in memory).
 *
 * @throws MasterKeyError, KeyFileError when the folder's files cannot be used.
 */
export async function startKms(folder: string | null, verify: VerifySignature): Promise<RunningJsonService> {
  return serveAwsJson(createKmsService(await openKeyStore(folder)), verify)
}

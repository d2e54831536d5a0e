import { admitSignedRequestsOnly } from "../admit-signed-requests.ts"
import { closeServer, listenOnLoopback, type RunningService } from "../loopback-server.ts"
import type { VerifySignature } from "../verify-signature.ts"
import { createKmsServer } from "./kms-server.ts"
import { openKeyStore } from "./open-key-store.ts"

/**
 * Starts the embedded KMS with the keys in a folder (null: in memory).
 *
 * @throws MasterKeyError, KeyFileError when the folder's files cannot be used.
 */
export async function startKms(folder: string | null, verify: VerifySignature): Promise<RunningService> {
  const server = createKmsServer(await openKeyStore(folder))
  admitSignedRequestsOnly(server, verify)
  const endpoint = await listenOnLoopback(server)
  return { endpoint, close: () => closeServer(server) }
}

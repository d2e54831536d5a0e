import { admitSignedRequestsOnly } from "../admit-signed-requests.ts"
import { closeServer, listenOnLoopback, type RunningService } from "../loopback-server.ts"
import type { VerifySignature } from "../verify-signature.ts"
import { openObjectFolder } from "./object-folder.ts"
import { createObjectMemory } from "./object-memory.ts"
import { createS3Server } from "./s3-server.ts"

/**
 * Starts the embedded S3 with the objects in a folder (null: in memory), with buckets of the given names.
 *
 * @throws Error when the folder cannot be used
 */
export async function startS3(
  folder: string | null,
  buckets: readonly string[],
  verify: VerifySignature,
): Promise<RunningService> {
  const store = folder === null ? createObjectMemory() : await openObjectFolder(folder)
  for (const bucket of buckets) await store.createBucket(bucket)
  const server = createS3Server(store)
  // S3 answers so, unlike the other services.
  admitSignedRequestsOnly(server, verify, 403)
  const endpoint = await listenOnLoopback(server)
  return { endpoint, close: () => closeServer(server) }
}

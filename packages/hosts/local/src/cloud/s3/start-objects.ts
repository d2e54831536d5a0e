import type { OpenObjects } from "@sealway/ports"
import { admitSignedRequestsOnly } from "../admit-signed-requests.ts"
import type { EmbeddedCredentials } from "../credentials.ts"
import { closeServer, listenOnLoopback, type RunningService } from "../loopback-server.ts"
import { presignedVerifier } from "../verify-presigned.ts"
import { openLocalObjects } from "./local-objects.ts"
import { openObjectFolder } from "./object-folder.ts"
import { createObjectMemory } from "./object-memory.ts"
import { createS3Server } from "./s3-server.ts"

/** Buckets, and where others send and get their objects by signed URLs. */
export interface RunningObjects extends RunningService {
  readonly openObjects: OpenObjects
}

/**
 * Starts the storage of objects in a folder (null: in memory), with buckets of the given names.
 *
 * @throws Error when the folder cannot be used
 */
export async function startObjects(
  folder: string | null,
  buckets: readonly string[],
  credentials: EmbeddedCredentials,
): Promise<RunningObjects> {
  const store = folder === null ? createObjectMemory() : await openObjectFolder(folder)
  for (const bucket of buckets) await store.createBucket(bucket)
  const server = createS3Server(store)
  // S3 answers so, unlike the other services.
  admitSignedRequestsOnly(server, presignedVerifier(credentials, Date.now), 403)
  const endpoint = await listenOnLoopback(server)
  const openObjects = openLocalObjects(store, endpoint, credentials)
  return { endpoint, openObjects, close: () => closeServer(server) }
}

import type { OpenObjects } from "@sealway/ports"
import { randomCredentials } from "../credentials.ts"
import { closeServer, listenOnLoopback } from "../loopback-server.ts"
import { openLocalObjects } from "./local-objects.ts"
import { openObjectFolder } from "./object-folder.ts"
import { createObjectMemory } from "./object-memory.ts"
import { createS3Server } from "./s3-server.ts"
import { presignedVerifier } from "./verify-presigned.ts"

/** Buckets, and where others send and get their objects by signed URLs. */
export interface RunningObjects {
  readonly openObjects: OpenObjects
  /** Where signed URLs lead: `http://127.0.0.1:<port>` */
  readonly endpoint: string
  /** Resolves once nothing of it is left. Called once. */
  close(): Promise<void>
}

/**
 * Starts the storage of objects in a folder (null: in memory), with buckets of the given names.
 *
 * @throws Error when the folder cannot be used
 */
export async function startObjects(
  folder: string | null,
  buckets: readonly string[],
): Promise<RunningObjects> {
  const store = folder === null ? createObjectMemory() : await openObjectFolder(folder)
  for (const bucket of buckets) await store.createBucket(bucket)
  const credentials = randomCredentials()
  const server = createS3Server(store, presignedVerifier(credentials, Date.now))
  const endpoint = await listenOnLoopback(server)
  const openObjects = openLocalObjects(store, endpoint, credentials)
  return { endpoint, openObjects, close: () => closeServer(server) }
}

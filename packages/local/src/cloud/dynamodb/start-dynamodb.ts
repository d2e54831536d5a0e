import { mkdir } from "node:fs/promises"
import type { IncomingMessage } from "node:http"
import { admitSignedRequestsOnly } from "../admit-signed-requests.ts"
import { closeServer, listenOnLoopback, type RunningService } from "../loopback-server.ts"
import type { VerifySignature } from "../verify-signature.ts"
import { checkDatabase } from "./check-database.ts"

/** Table states change at once; dynalite's defaults imitate the half second that AWS takes. */
const AT_ONCE = { createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 }

/**
 * Starts dynalite over a LevelDB folder (made, mode 0700, where it is missing), or in memory when the folder is null.
 *
 * @throws DataFolderInUseError, DataFolderUnusableError
 */
export async function startDynamoDb(folder: string | null, verify: VerifySignature): Promise<RunningService> {
  const [{ default: dynalite }] = await Promise.all([import("dynalite"), folder && prepareFolder(folder)])
  const server = dynalite({ ...AT_ONCE, ...(folder && { path: folder }) })
  server.on("request", tolerateAbort)
  admitSignedRequestsOnly(server, verify)
  const endpoint = await listenOnLoopback(server)
  return { endpoint, close: () => closeServer(server) }
}

async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await checkDatabase(folder)
}

/** dynalite throws when a client goes away in the middle of a request: a time-out would end the whole process. */
function tolerateAbort(request: IncomingMessage): void {
  request.removeAllListeners("error")
  request.on("error", () => undefined)
}

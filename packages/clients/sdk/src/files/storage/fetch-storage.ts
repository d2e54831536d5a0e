import { piecesOf } from "../../requests/read-stream.ts"
import type { AskStorage } from "./storage.ts"

/** Creates what reaches the storage by `fetch`. */
export function createFetchStorage(fetch: typeof globalThis.fetch): AskStorage {
  return async (url, request) => {
    const { status, headers, body } = await fetch(url, request)
    return {
      status,
      etag: headers.get("etag"),
      isSent: false,
      body: piecesOf(body),
      discard: async () => void (await body?.cancel()),
    }
  }
}
